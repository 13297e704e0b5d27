import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Detent, type DetentOptions, type RunRequest, ToolFailure } from '../../../src/index.ts';
import { createDetent } from '../../../src/runtime/create-detent.ts';
import { type ScriptLine, scriptedModel } from '../../../src/testing/index.ts';
import { modelOptions, scripted, temporaryWorkspace, tool, withModel } from '../../support/detent.ts';
import { LongRun, tenant } from './long-run.ts';

const call = (name: string, args: object = {}): ScriptLine => ({ toolCalls: [{ name, arguments: args }] });
const tools = {
  define: [
    tool('look'),
    tool('pay', { sideEffect: 'unsafe' }),
    tool('fail', {
      run: () => {
        throw new ToolFailure('OUT_OF_STOCK', 'none left');
      },
    }),
    tool('big', { run: () => 'y'.repeat(60_000) }),
  ],
};
const passing = { error: { code: 'MODEL_SERVER', message: 'try again', retryable: true, retryAfterMs: 1 } };
const lasting = { error: { code: 'MODEL_AUTH', message: 'wrong key' } };

interface Scenario {
  name: string;
  script: ScriptLine[];
  request?: RunRequest;
  after?: (detent: Detent, runId: string) => Promise<unknown>;
  options?: DetentOptions;
}

const scenarios: Scenario[] = [
  { name: 'an answer', script: [{ text: 'hello' }] },
  {
    name: 'calls side by side',
    script: [{ toolCalls: [{ name: 'look' }, { name: 'look' }, { name: 'fail' }] }, { text: 'ok' }],
  },
  {
    name: 'calls that do not exist or are no JSON',
    script: [call('nothing'), { toolCalls: [{ name: 'look', arguments: '{' }] }, { text: 'ok' }],
  },
  { name: 'an artifact', script: [call('big'), { text: 'ok' }] },
  { name: 'retries', script: [passing, passing, { text: 'ok' }] },
  { name: 'a provider that is down', script: [passing, passing], request: { limits: { maxRetries: 1 } } },
  { name: 'a bad key', script: [lasting] },
  { name: 'an answer that broke off', script: [{ text: 'The first', ...passing }, { text: 'all of it' }] },
  { name: 'an answer that broke off for good', script: [{ text: 'The first', ...lasting }] },
  { name: 'empty answers', script: Array.from({ length: 6 }, () => ({})) },
  { name: 'a refusal', script: [{ refusal: 'no', finish: 'refusal' }] },
  {
    name: 'a filtered answer with calls',
    script: [{ toolCalls: [{ name: 'look' }], finish: 'contentFilter' }],
  },
  { name: 'a truncated answer', script: [{ text: 'The first', finish: 'length' }] },
  { name: 'a loop', script: [call('fail'), call('fail'), call('fail')] },
  { name: 'too many steps', script: [call('look'), call('look')], request: { limits: { maxSteps: 2 } } },
  { name: 'a budget', script: [call('look')], request: { limits: { maxTokens: 10 } } },
  { name: 'a policy', script: [call('pay'), { text: 'I may not' }], request: { approve: 'none' } },
  { name: 'a question', script: [call('pay')] },
  {
    name: 'an approval',
    script: [call('pay'), { text: 'ok' }],
    after: (detent, runId) => detent.runs.confirm(runId, 'c2', { verdict: 'approve' }),
  },
  {
    name: 'a rejection',
    script: [call('pay'), { text: 'ok' }],
    after: (detent, runId) => detent.runs.confirm(runId, 'c2', { verdict: 'reject', reason: 'no' }),
  },
  {
    name: 'new arguments',
    script: [call('pay'), { text: 'ok' }],
    after: (detent, runId) => detent.runs.confirm(runId, 'c2', { verdict: 'modify', arguments: { usd: 1 } }),
  },
  {
    name: 'a message that withdraws a question',
    script: [call('pay'), { text: 'ok' }],
    after: (detent, runId) => detent.runs.steer(runId, 'rather not'),
  },
  {
    name: 'a cancelled question',
    script: [call('pay')],
    after: (detent, runId) => detent.runs.cancel(runId, 'no'),
  },
  { name: 'a prompt that is too large', script: [], options: { model: 'test/moonshot-v1-8k' } },
];

describe('replay', () => {
  it.each(scenarios)(
    'agrees with a run of $name',
    async ({ name, script, request = {}, after, options = {} }) => {
      const { detent } = await scripted(script, { tools, ...options });
      const prompt = name === 'a prompt that is too large' ? 'lorem ipsum '.repeat(5_000) : 'go';
      const run = detent.run(prompt, request);
      const { runId } = await run.result;
      await after?.(detent, runId);
      await detent.runs.attach(runId).result;
      const { length } = await detent.runs.events(runId);
      expect(length).toBeGreaterThan(0);
      expect(await detent.runs.replay(runId)).toEqual({
        runId,
        folded: length,
        unfolded: 0,
        diverged: null,
        error: null,
      });
    },
  );

  it('agrees with a run that was queued, and one that has not begun', async () => {
    const { detent } = await scripted([call('pay'), { text: 'ok' }, { text: 'next' }], { tools });
    const first = detent.run('go', { sessionId: 's' });
    await first.result;
    const second = detent.run('next', { sessionId: 's' });
    await second.result;
    const waiting = await detent.runs.replay(second.runId);
    await first.confirm('c2', { verdict: 'approve' });
    await second.result;
    expect([waiting, ...(await detent.runs.replayAll())]).toMatchObject([
      { folded: 0, diverged: null },
      { runId: second.runId, folded: 2, diverged: null },
      { runId: first.runId, diverged: null },
    ]);
  });

  it('agrees with a log from which secrets were taken', async () => {
    const env = { SHOP_TOKEN: 'hunter2-hunter2' };
    const wrong = { error: { code: 'MODEL_AUTH', message: 'the key hunter2-hunter2 is wrong' } };
    const { detent } = await scripted([wrong], { env });
    const { runId, error } = await detent.run('my key is hunter2-hunter2').result;
    expect(error?.message).toBe('the key [redacted:SHOP_TOKEN] is wrong');
    expect(await detent.runs.replay(runId)).toMatchObject({ folded: 2, diverged: null });
  });

  it('agrees with contexts whose own words are a secret', async () => {
    const { detent } = await scripted([{ text: 'ok' }], { env: { ODD_PASSWORD: 'completed' } });
    const { runId } = await detent.run('go').result;
    expect(await detent.runs.replay(runId)).toMatchObject({ folded: 2, diverged: null });
  });

  it('agrees with the longest run there is, and with the one before it', async () => {
    const long = new LongRun();
    await long.live();
    const history = await long.core.history();
    const replays = await history.replayAll(tenant);
    expect(replays.map(({ diverged, error }) => [diverged, error])).toEqual([
      [null, null],
      [null, null],
    ]);
    expect(replays[0]?.folded).toBeGreaterThanOrEqual(30);
  });
});

describe('replay of a database that was changed by hand', () => {
  /** A finished run of six transitions and more in a file, changed behind the back of the program. */
  async function tampered(change: string, isBroken = false) {
    const workspace = await temporaryWorkspace();
    const options = {
      workspace,
      store: undefined as never,
      database: { file: join(workspace, 'd.db') },
      tools,
    };
    const script = [
      call('look', { n: 1 }),
      call('fail', { n: 2 }),
      ...(isBroken ? [{ text: 'the e', ...passing }] : []),
      { text: 'the end' },
    ];
    const before = withModel(scriptedModel(script), options);
    const { runId } = await before.run('go').result;
    await before.close();
    const db = new Sqlite(join(workspace, 'd.db'));
    expect(db.prepare(change).run().changes).toBeGreaterThan(0);
    db.close();
    // Not by `withModel`, which replays what a test leaves behind.
    const after = createDetent(modelOptions(scriptedModel([]), { ...options, readonly: true }));
    onTestFinished(() => after.close());
    return after.runs.replay(runId);
  }

  it.each([
    [
      'a path',
      "update run_events set path = 'done' where seq = 3",
      { seq: 3, what: 'path', stored: 'done', folded: 'active.working.thinking.requesting' },
    ],
    ['a hash', "update run_events set hash = 'x' where seq = 4", { seq: 4, what: 'hash', stored: 'x' }],
    [
      'the tokens of an answer',
      `update run_events set body = replace(body, '"inputTokens":10', '"inputTokens":11') where seq = 2`,
      { seq: 2, what: 'hash' },
    ],
    [
      'the effect of a fact',
      `update run_events set body = replace(body, '"effectId":4', '"effectId":9') where seq = 5`,
      { seq: 5, what: 'ignored' },
    ],
    [
      'the kind of an event',
      "update run_events set type = 'tool.done' where seq = 5",
      { seq: 5, what: 'hash' },
    ],
    ['the time of an event', 'update run_events set at = at + 1 where seq = 1', { seq: 1, what: 'hash' }],
    [
      'a body that is no JSON',
      "update run_events set body = '{' where seq = 2",
      { seq: 2, what: 'broken', stored: '{' },
    ],
    ['an event that is gone', 'delete from run_events where seq = 3', { seq: 4, what: 'gap' }],
    [
      'a last event that is gone',
      'delete from run_events where seq = 6',
      { seq: 5, what: 'row', field: 'seq', stored: '6' },
    ],
    [
      'the context of the run',
      `update runs set context = replace(context, '"steps":3', '"steps":2')`,
      { seq: 6, what: 'row', field: 'context' },
    ],
    [
      'the state of the run',
      `update runs set state = '"failed"'`,
      { seq: 6, what: 'row', field: 'state', stored: '"failed"', folded: '"done"' },
    ],
    [
      'the output of the run',
      `update runs set output = replace(output, 'completed', 'refused')`,
      { seq: 6, what: 'row', field: 'output' },
    ],
    [
      'an end that was taken back',
      'update runs set ended = 0',
      { seq: 6, what: 'row', field: 'ended', stored: '0', folded: '1' },
    ],
    [
      'a limit',
      `update runs set input = replace(input, '"steps":50', '"steps":2')`,
      { seq: 1, what: 'hash' },
    ],
    [
      'an answer that is gone',
      `delete from messages where role = 'assistant' and seq = 4`,
      { seq: 4, what: 'message', field: 'assistant' },
    ],
    [
      'the calls of an answer',
      `update messages set body = replace(body, '"callId":2', '"callId":3') where seq = 2`,
      { seq: 2, what: 'message', field: 'toolCalls' },
    ],
    [
      'a result that is gone',
      `delete from messages where role = 'tool' and seq = 5`,
      { seq: 5, what: 'message', field: 'result' },
    ],
    [
      'a result that was a failure',
      `update messages set body = replace(body, '"isError":true', '"isError":false') where seq = 5`,
      { seq: 5, what: 'message', field: 'result', stored: 'c4 done', folded: 'c4 failed' },
    ],
  ] as const)('names %s, with its seq', async (_, change, diverged) => {
    const replay = await tampered(change);
    expect(replay.diverged).toMatchObject(diverged);
  });

  it.each([
    ['withdrawn words that are gone', "delete from messages where role = 'withdrawn'", 'withdrawn'],
    [
      'the tokens of withdrawn words',
      `update messages set body = replace(body, '"inputTokens":10', '"inputTokens":11') where role = 'withdrawn'`,
      'usage',
    ],
  ])('names %s, with its seq', async (_, change, field) => {
    const replay = await tampered(change, true);
    expect(replay.diverged).toMatchObject({ seq: 6, what: 'message', field });
  });
});
