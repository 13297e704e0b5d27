import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import type { Detent, DetentOptions, RunRequest, Why } from '../../../src/index.ts';
import { ToolFailure } from '../../../src/index.ts';
import type { ScriptLine } from '../../../src/testing/index.ts';
import { scriptedModel } from '../../../src/testing/index.ts';
import { gate, modelOptions, scripted, temporaryWorkspace, tool, withModel } from '../../support/detent.ts';

const call = (name: string, args: object = {}): ScriptLine => ({ toolCalls: [{ name, arguments: args }] });

/** Runs a script to where it rests, and asks why. */
async function why(script: readonly ScriptLine[], options: DetentOptions = {}, request: RunRequest = {}) {
  const { detent } = await scripted(script, options);
  const view = await detent.run('go', request).result;
  return { detent, view, why: await detent.runs.why(view.runId) };
}

/** All that a person reads. */
function words({ summary, details, next }: Why): string {
  return [summary, ...details, ...next.flatMap(({ text, command }) => [text, command ?? ''])].join('\n');
}

const passed = ({ chain }: Why) =>
  chain.at(-1)?.guards.flatMap((result) => (result.passed ? [result.guard] : []));
const asked = ({ chain }: Why) => chain.at(-1)?.guards.map(({ guard }) => guard);

describe('a run that failed at its provider', () => {
  const down = {
    error: {
      code: 'MODEL_NETWORK',
      message: 'no connection to 10.0.0.9:443 (ECONNREFUSED)',
      retryable: true,
      retryAfterMs: 7,
    },
  };

  it('names what the provider said, each attempt and each wait', async () => {
    const { why: found } = await why([down, down, down], {}, { limits: { maxRetries: 2 } });
    expect(found).toMatchObject({
      status: 'failed',
      outcome: 'provider_error',
      cause: 'provider_unreachable',
    });
    expect(found.summary).toContain('no connection to 10.0.0.9:443 (ECONNREFUSED)');
    expect(found.summary).toContain('test/script');
    expect(found.details.slice(0, 3)).toEqual([
      expect.stringMatching(/^attempt 1 \(seq 2\): MODEL_NETWORK: .*; retried after 7 ms$/),
      expect.stringMatching(/^attempt 2 \(seq 4\): .*; retried after 7 ms$/),
      expect.stringMatching(/^attempt 3 \(seq 6\): .*; no attempt was left$/),
    ]);
    expect(words(found)).toContain('--max-retries 2');
    const fork = { command: `detent runs fork ${found.runId} --at 1` };
    const step = { does: 'fork', runId: found.runId, at: 1 };
    expect(found.next).toContainEqual(expect.objectContaining({ ...fork, step }));
  });

  it('names the guards that were asked, in their order, and their answers', async () => {
    const { why: found } = await why([down, down], {}, { limits: { maxRetries: 1 } });
    expect(asked(found)).toEqual(['mayRetryModel', 'isAwaited', 'hasFailed']);
    expect(passed(found)).toEqual(['isAwaited', 'hasFailed']);
    expect(found.chain.map(({ seq, event }) => [seq, event])).toEqual([
      [1, 'run.start'],
      [2, 'model.failed'],
      [3, 'timer.backoff'],
      [4, 'model.failed'],
    ]);
    expect(found.chain.at(-1)?.effect).toMatchObject({
      name: 'effect.callModel',
      attempts: 1,
      askedAtSeq: 3,
    });
  });

  it('knows a bad key, and which variable to set', async () => {
    const wrong = {
      error: { kind: 'auth', code: 'MODEL_AUTH', message: 'Incorrect API key provided: sk-…7f' },
    } as const;
    const { why: found } = await why([wrong]);
    expect(found.cause).toBe('bad_key');
    expect(found.summary).toContain('Incorrect API key provided');
    expect(found.details).toEqual([expect.stringContaining('not retried: a retry would fail, too')]);
    expect(found.next[0]?.text).toBe('set the variable with the key of "test" to a valid key');
  });

  it('sends nobody to the provider when a script has no more answers', async () => {
    const { why: found } = await why([{ error: { code: 'SCRIPT_INCOMPLETE', message: 'no more answers' } }]);
    expect(found.cause).toBe('wrong_script');
    expect(found.next[0]?.text).toBe('correct the script');
  });

  it('says that the conversation is larger than the window', async () => {
    const { detent } = await scripted([], { model: 'test/moonshot-v1-8k' });
    const { runId } = await detent.run('lorem ipsum '.repeat(5_000)).result;
    const overflow = await detent.runs.why(runId);
    expect(overflow.cause).toBe('context_overflow');
    expect(words(overflow)).toMatch(/needed about 1\d{4} tokens/);
    expect(words(overflow)).toContain('the context window of test/moonshot-v1-8k');
  });
});

describe('a run that was stopped by a limit', () => {
  it('names the step limit and the last calls', async () => {
    const tools = { define: [tool('look')] };
    const script = [call('look', { n: 1 }), call('look', { n: 2 })];
    const { why: found } = await why(script, { tools }, { limits: { maxSteps: 2 } });
    expect(found).toMatchObject({ outcome: 'max_steps', cause: 'max_steps' });
    expect(found.summary).toContain('2 of 2 allowed steps');
    expect(words(found)).toContain('c4 look({"n":2}) → done: ok');
    // What a client without a shell cannot do is left to the terminal.
    expect(found.next[0]).toMatchObject({ command: expect.stringContaining('--max-steps 4'), step: null });
    expect(passed(found)).toEqual(['isStartedCall', 'isOverSteps']);
    expect(asked(found)?.indexOf('hasTooManyErrors')).toBeLessThan(asked(found)?.indexOf('isOverSteps') ?? 0);
  });

  it('names the token budget and what was used', async () => {
    const script = [{ ...(call('look') as object), usage: { inputTokens: 900, outputTokens: 150 } }];
    const { why: found } = await why(
      script,
      { tools: { define: [tool('look')] } },
      { limits: { maxTokens: 1_000 } },
    );
    expect(found.cause).toBe('token_budget');
    expect(found.summary).toBe('the run used 1050 tokens (900 in, 150 out) of a budget of 1000');
    expect(found.next[0]?.command).toContain('--max-tokens 2000');
  });

  it('names the deadline, and the call that it cut off', async () => {
    const slow = tool('slow', { run: (_, { signal }) => gate().pass(signal) });
    const { why: found } = await why(
      [call('slow', { n: 1 })],
      { tools: { define: [slow] } },
      { limits: { timeoutMs: 80 } },
    );
    expect(found).toMatchObject({ outcome: 'deadline', cause: 'deadline' });
    expect(found.summary).toMatch(/worked for \d+ ms, and its maximum working time is 80 ms/);
    expect(words(found)).toContain('it was running tools at its deadline');
    expect(words(found)).toContain('the deadline aborted: c2 slow({"n":1})');
  });

  it('names the failing call that was made three times', async () => {
    const broken = tool('order', {
      run: () => {
        throw new ToolFailure('OUT_OF_STOCK', 'only 2 left');
      },
    });
    const script = [1, 2, 3].map(() => call('order', { count: 5 }));
    const { why: found } = await why(script, { tools: { define: [broken] } }, { limits: { maxErrors: 9 } });
    expect(found).toMatchObject({ outcome: 'loop_detected', cause: 'loop' });
    expect(found.summary).toContain(
      'the same failing call 3 times in a row: order({"count":5}) failed with OUT_OF_STOCK: only 2 left',
    );
    expect(passed(found)).toContain('isLooping');
    expect(found.next.map(({ command }) => command)).toContain(
      `detent runs fork ${found.runId} --at 1 --edit-message "TEXT"`,
    );
  });

  it('names the steps whose every call failed', async () => {
    const broken = tool('order', { run: () => Promise.reject(new Error('the shop is closed')) });
    const script = [1, 2, 3].map((count) => call('order', { count }));
    const { why: found } = await why(script, { tools: { define: [broken] } });
    expect(found).toMatchObject({ outcome: 'loop_detected', cause: 'consecutive_errors' });
    expect(found.summary).toContain('every tool call of the last 3 steps failed');
    expect(found.summary).toContain('the shop is closed');
  });
});

describe('a run whose calls did not do what they should', () => {
  it('names the tool that ran out of time', async () => {
    const slow = tool('slow', { timeoutMs: 20, run: (_, { signal }) => gate().pass(signal) });
    const { why: found } = await why([call('slow', { n: 1 }), { text: 'it did not answer' }], {
      tools: { define: [slow] },
    });
    expect(found.cause).toBe('completed');
    expect(words(found)).toMatch(/c2 slow\(\{"n":1\}\) timed out: slow timed out after 0\.02 s/);
  });

  it('names the person who rejected a call, and the reason', async () => {
    const pay = tool('pay', { sideEffect: 'unsafe' });
    const { detent } = await scripted([call('pay', { usd: 9 }), { text: 'then not' }], {
      tools: { define: [pay] },
    });
    const run = detent.run('go');
    await run.result;
    await run.confirm('c2', { verdict: 'reject', reason: 'too dear', by: 'the cashier' });
    const found = await detent.runs.why((await run.result).runId);
    expect(words(found)).toContain('the cashier rejected c2 pay({"usd":9}) (reason: "too dear")');
  });

  it('names the policy that refused the calls', async () => {
    const pay = tool('pay', { sideEffect: 'unsafe' });
    const script = [call('pay', { usd: 9 }), { text: 'I may not' }];
    const { why: found } = await why(script, { tools: { define: [pay] } }, { approve: 'none' });
    expect(found).toMatchObject({ outcome: 'blocked_by_policy', cause: 'blocked_by_policy' });
    expect(found.summary).toContain('policy, not a person, refused the calls that the model needed (pay)');
    expect(words(found)).toContain('c2 pay({"usd":9}) → REJECTED_BY_POLICY');
    expect(found.next[0]?.command).toContain('--approve ask');
  });

  it('names the tool that is not allowed', async () => {
    const options = { tools: { define: [tool('look'), tool('pay')] } };
    const { why: found } = await why([call('pay'), { text: 'I may not' }], options, { tools: ['look'] });
    expect(found.cause).toBe('blocked_by_policy');
    expect(words(found)).toContain('TOOL_NOT_ALLOWED');
    expect(found.next[0]?.command).toContain('--tools pay');
  });
});

describe('an answer that ended its run', () => {
  it.each([
    [
      'content_filter',
      { finish: 'contentFilter', finishReason: 'content_filter', text: 'How to' },
      /content filter of test\/script cut the answer \(finish reason "content_filter"\): "How to"/,
    ],
    [
      'refusal',
      { finish: 'refusal', refusal: 'I cannot help with that' },
      /refused to answer: "I cannot help with that"/,
    ],
    [
      'truncated',
      { finish: 'length', text: 'The first part', usage: { outputTokens: 77 } },
      /output limit \(finish reason "length", 77 tokens out\)/,
    ],
  ] as const)('is called %s, with its words', async (cause, answer, summary) => {
    const { why: found } = await why([answer]);
    expect(found.cause).toBe(cause);
    expect(found.summary).toMatch(summary);
    expect(words(found)).toContain(`detent runs fork ${found.runId} --at 1 --edit-message "TEXT"`);
  });

  it('is quoted when all went well', async () => {
    const { why: found } = await why([{ text: 'It is 42.' }]);
    expect(found).toMatchObject({ status: 'done', cause: 'completed', details: [] });
    expect(found.summary).toContain('after 1 step: "It is 42."');
    expect(passed(found)).toEqual(['isAwaited', 'isAnswered']);
    expect(found.next).toMatchObject([
      {
        command: `detent run --session ${found.sessionId} --model test/script "go on"`,
        step: { does: 'say', prompt: 'go on' },
      },
    ]);
  });
});

describe('a run that waits', () => {
  const pay = tool('pay', { sideEffect: 'unsafe' });
  const asking = () => scripted([call('pay', { usd: 9 }), { text: 'ok' }], { tools: { define: [pay] } });

  it('for a decision names the call, the expiry and the command', async () => {
    const { detent } = await asking();
    const { runId } = await detent.run('go').result;
    const found = await detent.runs.why(runId);
    expect(found).toMatchObject({ status: 'waiting', cause: 'waiting_for_confirmation' });
    expect(found.summary).toBe('a person must decide on a tool call: c2 pay({"usd":9})');
    expect(words(found)).toMatch(/in 7 days, at .*, open calls are rejected/);
    expect(found.next[0]).toMatchObject({
      command: `detent runs confirm ${runId} c2 --approve`,
      step: { does: 'decide', runId },
    });
  });

  it('behind another run names that one, and what it waits for', async () => {
    const { detent } = await asking();
    const first = await detent.run('go', { sessionId: 's' }).result;
    const second = await detent.run('next', { sessionId: 's' }).result;
    const found = await detent.runs.why(second.runId);
    expect(found).toMatchObject({ status: 'queued', cause: 'queued' });
    expect(found.summary).toContain(
      `run ${first.runId} is ahead of this one in the queue of session "s": it is waiting`,
    );
    expect(found.summary).toContain('a person must decide on a tool call: c2 pay({"usd":9})');
    expect(found.next.map(({ command }) => command)).toEqual([
      `detent runs confirm ${first.runId} c2 --approve`,
      `detent runs resume ${first.runId}`,
      `detent runs cancel ${first.runId}`,
    ]);
  });

  it('and is cancelled names the reason', async () => {
    const { detent } = await asking();
    const { runId } = await detent.run('go').result;
    await detent.runs.cancel(runId, 'wrong account');
    const found = await detent.runs.why(runId);
    expect(found).toMatchObject({ status: 'cancelled', cause: 'cancelled' });
    expect(found.summary).toBe(
      'the run was cancelled by program while it was waiting for a decision (reason: "wrong account")',
    );
  });
});

describe('a run whose process died', () => {
  /** A run whose process stops in the middle of a tool; its database is a file. */
  async function left(sideEffect: 'readonly' | 'unsafe') {
    const workspace = await temporaryWorkspace();
    const busy = gate();
    const options = {
      workspace,
      store: undefined as never,
      database: { file: join(workspace, 'left.db') },
      tools: {
        define: [tool('slow', { sideEffect, confirm: false, run: (_, { signal }) => busy.pass(signal) })],
      },
    };
    const open = () => withModel(scriptedModel([{ text: 'after all' }]), options);
    const first = withModel(scriptedModel([call('slow', { n: 1 })]), options);
    const runId = await first.run('go').started;
    await busy.reached;
    await first.close();
    busy.open();
    return { workspace, runId, open, options };
  }

  const reading = async (options: DetentOptions, work: (detent: Detent) => Promise<Why>) => {
    const detent = withModel(scriptedModel([]), {
      ...modelOptions(scriptedModel([]), options),
      readonly: true,
    });
    return work(detent);
  };

  it('names the process, the call that was running, and what happens to it on resume', async () => {
    const { runId, options } = await left('readonly');
    const found = await reading(options, (detent) => detent.runs.why(runId));
    expect(found).toMatchObject({ status: 'interrupted', cause: 'process_died' });
    expect(found.summary).toContain(`process ${process.pid} (driver 1, since `);
    expect(found.summary).toContain('ended while the run was running tools: c2 slow({"n":1})');
    expect(words(found)).toContain('runs again: the tool is declared readonly');
    expect(found.next[0]).toMatchObject({
      command: `detent runs resume ${runId}`,
      step: { does: 'goOn', runId },
    });
  });

  it('in an unsafe call asks a person, and names the call', async () => {
    const { runId, open } = await left('unsafe');
    const detent = open();
    await detent.runs.resume({ runId });
    await detent.runs.attach(runId).result;
    const found = await detent.runs.why(runId);
    expect(found).toMatchObject({ status: 'waiting', cause: 'crash_in_unsafe_call' });
    expect(found.summary).toContain(`process ${process.pid} (driver 1`);
    expect(found.summary).toContain('while c2 slow({"n":1}) was running');
    const retry = { command: `detent runs reconcile ${runId} c2 --retry`, step: { does: 'decide', runId } };
    expect(found.next).toContainEqual(expect.objectContaining(retry));
    expect(found.chain.map(({ event }) => event)).toEqual(['run.start', 'model.done', 'tool.uncertain']);
  });

  it('each time in the same call says that the call kills it', async () => {
    const { workspace, runId, open } = await left('readonly');
    const db = new Sqlite(join(workspace, 'left.db'));
    // What three killed processes leave behind; an orderly stop takes its attempt back.
    db.prepare('update effects set attempt = 3 where n = 2').run();
    db.close();
    const detent = open();
    await detent.runs.resume({ runId });
    await detent.runs.attach(runId).result;
    const found = await detent.runs.why(runId);
    expect(found).toMatchObject({ outcome: 'poisoned', cause: 'poisoned' });
    expect(found.summary).toContain('slow({"n":1}) was started 3 times and the process died each time');
    expect(words(found)).toContain('why the tool "slow" kills its process');
  });

  it('and that was resumed and completed says how long it had no driver', async () => {
    const { runId, open } = await left('readonly');
    const detent = open();
    await detent.runs.resume({ runId });
    await detent.runs.attach(runId).result;
    const found = await detent.runs.why(runId);
    expect(found.cause).toBe('completed');
    expect(words(found)).toMatch(/seq 3: a process took the run over at .* without one/);
  });

  it('and that was resumed and waits for a person says so, too', async () => {
    const { runId, open } = await left('unsafe');
    const detent = open();
    await detent.runs.resume({ runId });
    await detent.runs.attach(runId).result;
    const found = await detent.runs.why(runId);
    expect(found.cause).toBe('crash_in_unsafe_call');
    expect(words(found)).toMatch(/seq 3: a process took the run over at .* without one/);
  });
});

describe('a fork that was not resumed', () => {
  it('says so, and what would start', async () => {
    const { detent, why: found } = await why([call('look', { n: 1 }), { text: 'ok' }], {
      tools: { define: [tool('look')] },
    });
    const fork = await detent.runs.fork(found.runId, { at: 2 });
    const forked = await detent.runs.why(fork.runId);
    expect(forked).toMatchObject({ status: 'unstarted', cause: 'not_resumed' });
    expect(words(forked)).toContain('on resume: c2 look({"n":1})');
    expect(forked.next[0]?.command).toBe(`detent runs resume ${fork.runId}`);
    await detent.runs.resume({ runId: fork.runId });
    await detent.runs.attach(fork.runId).result;
    const { spans, transitions } = await detent.runs.trace(fork.runId);
    const resumed = transitions.find(({ event }) => event.type === 'run.resumed');
    expect(spans.find(({ lane }) => lane === 'tools')?.startedAt).toBe(resumed?.at ?? 0);
  });
});

it('asks nothing of the model and writes nothing', async () => {
  const { detent, model } = await scripted([{ text: 'ok' }]);
  const { runId } = await detent.run('go').result;
  const before = JSON.stringify([await detent.runs.show(runId), await detent.runs.events(runId)]);
  await detent.runs.why(runId);
  await detent.runs.replay(runId);
  expect(JSON.stringify([await detent.runs.show(runId), await detent.runs.events(runId)])).toBe(before);
  expect(model.requests).toHaveLength(1);
});
