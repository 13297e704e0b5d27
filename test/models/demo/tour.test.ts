import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createDetent, type Detent, type DetentOptions, type RunView } from '../../../src/index.ts';
import { createDemoModel } from '../../../src/models/demo/index.ts';
import type { ModelDelta } from '../../../src/protocol/content.ts';
import { expectReplays } from '../../support/left-behind.ts';
import { toolSpecs } from './support.ts';

const tour = { model: 'demo/tour', sessionId: 's' };
const prompt = 'Show me how you work';

/** A Detent with the built-in demo, in a folder with two files. */
function demoIn(workspace: string, options: DetentOptions = {}): Detent {
  const detent = createDetent({ store: 'in-process', env: {}, workspace, ...options });
  onTestFinished(async () => {
    await expectReplays(detent);
    await detent.close();
  });
  return detent;
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'detent-tour-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** The tour up to its question. */
async function asked(options: DetentOptions = {}, words = prompt) {
  const workspace = newFolder();
  const detent = demoIn(workspace, options);
  const view = await detent.run(words, tour).result;
  const end = () => detent.runs.attach(view.runId).result;
  return { workspace, detent, view, end, call: questionOf(view) };
}

function questionOf(view: RunView): string {
  return view.pending[0]?.callId ?? '';
}

const statesOf = ({ states }: RunView) => states.map((state) => state.split('.').at(-1));

describe('the tour', () => {
  it('passes through every state of a run that comes well to its end, and asks before it writes', async () => {
    const { workspace, detent, view, end, call } = await asked();
    expect(view.status).toBe('waiting');
    expect(existsSync(join(workspace, 'tour'))).toBe(false);
    await detent.runs.confirm(view.runId, call, { verdict: 'approve' });
    const done = await end();
    expect(statesOf(done)).toEqual([
      'idle',
      'requesting',
      'backingOff',
      'requesting',
      'executing',
      'requesting',
      'awaitingConfirm',
      'executing',
      'requesting',
      'flushing',
      'summarizing',
      'requesting',
      'executing',
      'requesting',
      'done',
    ]);
    expect(done.text).toContain(
      '| `awaitingConfirm` | write_file needs a permission. Its result: created tour/notes.md (',
    );
    const notes = readFileSync(join(workspace, 'tour/notes.md'), 'utf8');
    expect(notes).toContain('- list_files: [the folder is empty]');
    expect(done.text).toContain(notes.trimEnd());
  });

  it('speaks Chinese with those who do, also after the compaction', async () => {
    const { detent, view, end, call } = await asked({}, '让我看看你是怎么工作的');
    await detent.runs.confirm(view.runId, call, { verdict: 'approve' });
    const { text: output, steps } = await end();
    expect(output).toContain('| `awaitingConfirm` | write_file 需要批准。结果：created tour/notes.md (');
    for (const step of steps) expect(step.text).toMatch(/^(?:我是 Detent|\*\*第 \d 步|\*\*这就是)/);
  });

  it('goes on after a rejection, and tells the reason', async () => {
    const { workspace, detent, view, end, call } = await asked();
    await detent.runs.confirm(view.runId, call, { verdict: 'reject', reason: 'no | files' });
    const done = await end();
    expect(done.status).toBe('done');
    expect(statesOf(done)).toContain('summarizing');
    expect(done.text).toContain('Its result: The user rejected this call: no ¦ files |');
    expect(existsSync(join(workspace, 'tour'))).toBe(false);
  });

  it('reads back what a person wrote in place of its own words', async () => {
    const { workspace, detent, view, end, call } = await asked();
    const mine = { path: 'mine.md', content: '# Mine\n```\ncode\n```' };
    await detent.runs.confirm(view.runId, call, { verdict: 'modify', arguments: mine });
    const { text: output } = await end();
    expect(output).toContain('Its result: [The user changed the arguments to ');
    expect(output).toContain('Read back from `mine.md`:\n\n````\n# Mine\n```\ncode\n```\n````');
    expect(readFileSync(join(workspace, 'mine.md'), 'utf8')).toBe(mine.content);
  });

  it('asks again when a message withdraws its question', async () => {
    const { detent, view, end } = await asked();
    await detent.runs.steer(view.runId, 'What are you doing?');
    const again = await end();
    expect(again.status).toBe('waiting');
    expect(again.steps.at(-1)?.text).toContain('**Step 2 of 3:** write a file.');
    await detent.runs.confirm(view.runId, questionOf(again), { verdict: 'approve' });
    const done = await end();
    expect(done.text).toContain('Its result: created tour/notes.md (');
  });

  it.each([['hello'], ['x'.repeat(3_000)], ['tour']])(
    'comes well to its end after a message: %.10s',
    async (words) => {
      const { detent, view, end } = await asked();
      await detent.runs.steer(view.runId, words);
      const again = await end();
      await detent.runs.confirm(view.runId, questionOf(again), { verdict: 'approve' });
      expect(await end()).toMatchObject({ status: 'done', outcome: 'completed', error: null });
    },
  );

  it('refuses a prompt once, also when a hook forbids the compaction', async () => {
    const hooks = { beforeCompact: [() => ({ veto: 'all of it matters' })] };
    const detent = demoIn(newFolder(), { hooks });
    const done = await detent.run(prompt, { ...tour, approve: 'all' }).result;
    expect(done).toMatchObject({ status: 'done', outcome: 'completed_degraded' });
    expect(done.text).not.toContain('`compacting`');
  });

  it('ends when a message tells it to stop', async () => {
    const { workspace, detent, view, end } = await asked();
    await detent.runs.steer(view.runId, 'Stop, do not write anything.');
    const done = await end();
    expect(done.status).toBe('done');
    expect(done.text).toContain('So I stop the tour here.');
    expect(done.text).not.toContain('awaitingConfirm');
    expect(existsSync(join(workspace, 'tour'))).toBe(false);
  });

  it('is not continued by the next run after a cancel, and begins anew when it is asked for', async () => {
    const { detent, view } = await asked();
    await detent.runs.cancel(view.runId);
    const other = await detent.run('what is 2+3?', tour).result;
    expect(other.status).toBe('done');
    expect(other.text).toMatch(/2\+3 = 5$/);
    expect(other.text).not.toContain('Step');
    const again = await detent.run('tour', tour).result;
    expect(again.status).toBe('waiting');
    expect(again.steps[0]?.text).toContain('Step 1 of 3');
  });

  it('goes on in another process', async () => {
    const workspace = newFolder();
    const database = { file: join(workspace, 'detent.db') };
    const first = createDetent({ env: {}, workspace, database });
    const view = await first.run(prompt, tour).result;
    await first.runs.confirm(view.runId, questionOf(view), { verdict: 'approve' });
    await first.close();
    const second = demoIn(workspace, { store: undefined, database } as DetentOptions);
    await second.runs.resume();
    const done = await second.runs.attach(view.runId).result;
    expect(done.status).toBe('done');
    expect(done.text).toContain('Read back from `tour/notes.md`');
  });

  it('needs no question where the run allows all calls', async () => {
    const detent = demoIn(newFolder());
    const done = await detent.run(prompt, { ...tour, approve: 'all' }).result;
    expect(done.status).toBe('done');
    expect(done.text).toContain('Read back from `tour/notes.md`');
  });

  it.each([[['list_files']], [['calculator']], [['write_file']], [['datetime', 'read_file']]])(
    'does what it can with the tools %s',
    async (tools) => {
      const detent = demoIn(newFolder());
      const done = await detent.run(prompt, { ...tour, tools, approve: 'all' }).result;
      expect(done.status).toBe('done');
      expect(done.text).toContain('That was one run');
    },
  );

  it('compacts in a conversation that had other words before, and after a first tour', async () => {
    const workspace = newFolder();
    const detent = demoIn(workspace);
    for (const words of ['thanks', 'tour', 'Take the tour again!']) {
      const view = await detent.run(words, { sessionId: 's', model: 'demo/demo', approve: 'all' }).result;
      expect(view.error).toBeNull();
      if (words !== 'thanks') expect(statesOf(view)).toContain('summarizing');
      if (words !== 'thanks') expect(view.text).toContain('| `compacting` |');
    }
  });

  it('answers what else is asked by its rules once it is over', async () => {
    const detent = demoIn(newFolder());
    await detent.run(prompt, { ...tour, approve: 'all' }).result;
    expect(await detent.run('2+3', tour).result).toMatchObject({ status: 'done', text: '2+3 = 5' });
  });
});

describe('the words of the tour', () => {
  const begun = {
    model: 'tour',
    messages: [{ role: 'user', text: prompt }],
    tools: toolSpecs(['list_files']),
  } as const;
  const call = { signal: new AbortController().signal, idempotencyKey: 'run_x:2' };

  it('stream one by one, reasoning first', async () => {
    const deltas: ModelDelta[] = [];
    const model = createDemoModel();
    const answer = await model.generate(begun, { ...call, onDelta: (delta) => deltas.push(delta) });
    const said = (type: string) =>
      deltas.flatMap((delta) => (delta.type === type && 'text' in delta ? [delta.text] : []));
    expect(said('reasoning').join('')).toBe(answer.reasoning);
    expect(said('text').join('')).toBe(answer.text);
    expect(said('text').length).toBeGreaterThan(30);
    expect(deltas.map(({ type }) => type)).toEqual(deltas.map(({ type }) => type).toSorted(inOrder));
    expect(answer.usage?.reasoningTokens).toBeGreaterThan(10);
  });

  it('come after a wait on the first call of a run alone, and at once when nothing streams slowly', async () => {
    const first = { ...call, idempotencyKey: 'run_x:1', onDelta: () => {} };
    const { error } = await createDemoModel({ pieceDelayMs: 10 }).generate(begun, first);
    expect(error).toMatchObject({ kind: 'rate_limit', retryable: true, retryAfterMs: 2_000 });
    expect((await createDemoModel().generate(begun, first)).error?.retryAfterMs).toBe(0);
  });

  it('are not given to a request for a summary', async () => {
    const messages = [...begun.messages, { role: 'user', text: 'Summarise the conversation above' }] as const;
    const answer = await createDemoModel().generate(
      { ...begun, messages, tools: [] },
      { ...call, idempotencyKey: 'run_x:1', onDelta: () => {} },
    );
    expect(answer.text).toBe(`The user asked:\n- ${prompt}`);
  });
});

const inOrder = (a: string, b: string) => order.indexOf(a) - order.indexOf(b);
const order = ['reasoning', 'text', 'toolCall'];

describe('the run after the tour in its session', () => {
  it('has the default model, because the tour is one run', async () => {
    const detent = demoIn(newFolder());
    await detent.run(prompt, { ...tour, approve: 'all' }).result;
    const { steps } = await detent.run('2+3', { sessionId: 's' }).result;
    expect(steps.map(({ model }) => model)).toEqual(['demo', 'demo']);
  });
});
