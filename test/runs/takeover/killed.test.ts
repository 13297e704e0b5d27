import { spawnSync } from 'node:child_process';
import { expect, it, onTestFinished } from 'vitest';
import { createDetent } from '../../../src/index.ts';
import { scriptedModel } from '../../../src/testing/index.ts';
import { compileCache } from '../../support/compile-cache.ts';
import { gate, temporaryWorkspace, tool } from '../../support/detent.ts';
import { programFile } from '../../support/program.ts';
import { inSizes } from '../../support/size.ts';
import { acts, ann, open } from './acts.ts';

/** Every so many boundaries there is a kill. */
const every = inSizes({ usual: 5, deep: 3, full: 1 });

it('of a takeover that is killed at any commit nothing said is lost or doubled, no call runs, and the agent answers', {
  timeout: 300_000,
}, async () => {
  let kills = 0;
  for (let point = 0; ; point += every) {
    const workspace = await temporaryWorkspace();
    const { stdout, stderr } = spawnSync(
      process.execPath,
      [programFile('test/runs/takeover/child'), workspace, String(point)],
      { encoding: 'utf8', env: { ...process.env, ...compileCache } },
    );
    expect(stderr).toBe('');
    const detent = open(workspace, [{ text: 'Here I am.' }, { text: 'Here I am.' }]);
    onTestFinished(() => detent.close());
    await detent.runs.resume();
    // Whoever got no answer asks again.
    for (const act of acts.slice(stdout.replace('over', '').length))
      await act(detent).catch((error: { code?: string }) => expect(error.code).toBe('NOT_TAKEN_OVER'));
    const [newest] = await detent.runs.list({ limit: 1 });
    await detent.runs.attach(newest?.runId ?? '').result;
    const { conversation, takenOver, history } = await detent.sessions.show('s');
    const said = conversation.filter(({ role, text }) => role !== 'tool' && text !== '');
    expect(
      said.map(({ from, role, text }) => `${from ?? role}: ${text}`),
      `boundary ${point}`,
    ).toEqual([
      'user: buy',
      'user: a person?',
      'staff: I am Bob.',
      'user: and the agent?',
      'assistant: Here I am.',
    ]);
    expect(takenOver).toBe(undefined);
    expect(history.map(({ status }) => status)).toEqual(['cancelled', 'done', 'done']);
    await detent.close();
    if (stdout.endsWith('over')) break;
    kills++;
  }
  console.log(`takeovers: killed at ${kills} boundaries`);
  expect(kills).toBeGreaterThanOrEqual(3);
});

it('of two processes one takes over what the other drives: that run ends, and both keep what is said', async () => {
  const workspace = await temporaryWorkspace();
  const waits = gate();
  const looks = tool('look', {
    run: async (_, { signal }) => {
      await waits.pass(signal);
      return 'seen';
    },
  });
  const process = (script: readonly object[]) => {
    const models = { test: scriptedModel(script) };
    const detent = createDetent({
      workspace,
      env: {},
      model: 'test/script',
      models,
      tools: { define: [looks] },
    });
    onTestFinished(() => detent.close());
    return detent;
  };
  const first = process([{ toolCalls: [{ name: 'look', arguments: {} }] }, { text: 'Here I am.' }]);
  const second = process([{ text: 'Here I am.' }]);
  const run = first.run('look', ann);
  await waits.reached;
  const { runId } = await second.sessions.takeOver('s', { by: 'bob' });
  expect(await run.result).toMatchObject({ status: 'cancelled' });
  const kept = first.run('a person?', ann);
  await kept.started;
  expect(kept.runId).toBe(runId);
  await second.sessions.say('s', 'I am Bob.', { by: 'bob' });
  await first.run('thank you', ann).started;
  const { runId: answer } = await first.sessions.giveBack('s', { by: 'bob' });
  expect(await first.runs.attach(String(answer)).result).toMatchObject({ text: 'Here I am.' });
  const { conversation } = await second.sessions.show('s');
  expect(conversation.flatMap(({ role, text }) => (role === 'tool' || text === '' ? [] : text))).toEqual([
    'look',
    'a person?',
    'I am Bob.',
    'thank you',
    'Here I am.',
  ]);
});
