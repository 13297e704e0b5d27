import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import * as z from 'zod';
import { type ConfirmDecision, type DetentOptions, defineTool, type RunRequest } from '../../src/index.ts';
import { fakeClock, scriptedModel } from '../../src/testing/index.ts';
import { gate, scripted, temporaryWorkspace, tool, withModel } from '../support/detent.ts';
import { calls, callsOf, given, processes, when } from './support.ts';

// Who may decide on a call, what a decision is bound to, and which decision counts: `applied` says that it was this one, `stands`
// that what counts says the same, `verdict` what that is.

const sha256 = (text: string) => createHash('sha256').update(text, 'utf8').digest('hex');

/** A run that waits for a person about one call of `write`, with these bytes as its arguments. */
async function asked(raw = '{"path":"a"}', options: DetentOptions = {}, request: RunRequest = {}) {
  const written: unknown[] = [];
  const write = defineTool({
    name: 'write',
    description: 'writes',
    parameters: z.object({ path: z.string(), n: z.number().optional() }),
    sideEffect: 'unsafe',
    run: (args) => {
      written.push(args);
      return 'written';
    },
  });
  const script = [{ toolCalls: [{ name: 'write', arguments: raw }] }, { text: 'done' }];
  const { detent, model } = await scripted(script, { tools: { define: [write] }, ...options });
  const run = detent.run('write', request);
  const view = await run.result;
  const [question] = view.pending;
  if (!question) throw new Error(`nothing is asked: ${view.status} ${view.error?.message}`);
  const decide = (decision: ConfirmDecision) => run.confirm(question.callId, decision);
  return { detent, model, run, view, question, written, decide };
}

given('a call that a person is asked about', () => {
  when('the person looks at it', 'its hash is SHA-256 of the very bytes that the model wrote', async () => {
    const raw = '{ "path":  "a b" , "n":1e0 }';
    const { question } = await asked(raw);
    expect([question.argumentsHash, question.arguments]).toEqual([sha256(raw), { path: 'a b', n: 1 }]);
  });

  when('it is approved', 'it runs with what was shown', async () => {
    const { run, question, written, decide } = await asked();
    const decided = await decide({ verdict: 'approve', hash: question.argumentsHash });
    expect(decided).toEqual({ applied: true, verdict: 'approve', stands: true });
    const view = await run.result;
    expect([view.text, written, view.steps[0]?.toolCalls[0]]).toMatchObject([
      'done',
      [{ path: 'a' }],
      { status: 'done', decision: 'approve', result: 'written' },
    ]);
  });

  for (const decision of [{ verdict: 'approve' }, { verdict: 'modify', arguments: { path: 'c' } }] as const)
    when(
      `the decision ${decision.verdict} names other arguments`,
      'it is refused, and the call waits on',
      async () => {
        const { run, question, written, decide } = await asked();
        await expect(decide({ ...decision, hash: sha256('{"path":"b"}') })).rejects.toMatchObject({
          code: 'HASH_MISMATCH',
          details: { callId: question.callId, expected: question.argumentsHash },
        });
        expect([written, (await run.result).status]).toEqual([[], 'waiting']);
      },
    );

  when('it is approved without a hash', 'the caller is trusted to have looked', async () => {
    const { decide } = await asked();
    expect((await decide({ verdict: 'approve' })).applied).toBe(true);
  });

  when('it is rejected', 'it does not run, and the model is told why', async () => {
    const { run, model, written, decide } = await asked();
    await decide({ verdict: 'reject', reason: 'not on Fridays' });
    const view = await run.result;
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({
      role: 'tool',
      text: 'The user rejected this call: not on Fridays',
      isError: true,
    });
    expect([written, callsOf(view)]).toEqual([[], [['rejected', 'REJECTED_BY_USER']]]);
  });

  for (const [form, change, executed] of [
    ['an object', { path: 'b' }, '{"path":"b"}'],
    ['JSON text', '{ "path" : "b" }', '{ "path" : "b" }'],
  ] as const)
    when(`it is changed, with ${form}`, 'it runs with that to the byte, and the model is told', async () => {
      const { run, question, written, decide } = await asked();
      await decide({ verdict: 'modify', arguments: change, hash: question.argumentsHash });
      const view = await run.result;
      expect(written).toEqual([{ path: 'b' }]);
      expect(view.steps[0]?.toolCalls[0]).toMatchObject({
        argumentsRaw: '{"path":"a"}',
        arguments: { path: 'b' },
        decision: 'modify',
        result: `[The user changed the arguments to ${executed}]\nwritten`,
      });
    });

  when('it is changed to what the tool does not take', 'that is refused, and the call waits on', async () => {
    const { run, written, decide } = await asked();
    for (const bad of [{ path: 7 }, 'not json', [1], undefined])
      await expect(decide({ verdict: 'modify', arguments: bad })).rejects.toMatchObject({
        code: 'INVALID_ARGUMENTS',
      });
    expect([written, (await run.result).pending.length]).toEqual([[], 1]);
    await decide({ verdict: 'approve' });
    expect((await run.result).status).toBe('done');
  });

  for (const [limits, ms] of [
    [{ confirmExpiryMs: 60_000 }, 60_000],
    [{}, 7 * 24 * 3_600_000],
  ] as const)
    when(`nobody decides for ${ms} ms, with ${JSON.stringify(limits)}`, 'it counts as rejected', async () => {
      const clock = fakeClock();
      const { run, written, detent } = await asked(undefined, { clock }, { limits });
      await clock.advance(ms - 1);
      expect((await detent.runs.show(run.runId)).status).toBe('waiting');
      await clock.advance(1);
      const view = await run.result;
      expect([view.text, written, callsOf(view)]).toEqual(['done', [], [['rejected', 'EXPIRED']]]);
    });

  for (const call of ['c99', '1', 'c1'])
    when(`a decision names ${call}, a call that asks nothing`, 'it is refused', async () => {
      const { run } = await asked();
      await expect(run.confirm(call, { verdict: 'approve' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    });

  for (const call of ['', 'x', 'c', '-1', 'c1.5', '99999999999'])
    when(`a decision names ${JSON.stringify(call)}, which is no call`, 'it is refused', async () => {
      const { run } = await asked();
      await expect(run.confirm(call, { verdict: 'approve' })).rejects.toMatchObject({
        code: 'INVALID_CALL_ID',
      });
    });

  when('it gets a word for calls that were interrupted', 'that is refused', async () => {
    const { detent, run, question } = await asked();
    const word = detent.runs.reconcile(run.runId, question.callId, { verdict: 'ran' });
    await expect(word).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

given('arguments that hold a known secret', () => {
  const secret = 'super-secret-value';
  const env = { X_TOKEN: secret };

  when('the call is shown and approved', 'it is hidden in views, and whole for the tool', async () => {
    const { run, detent, question, written, view, decide } = await asked(`{"path":"${secret}"}`, { env });
    expect(question.arguments).toEqual({ path: '[redacted:X_TOKEN]' });
    expect(question.argumentsHash).toBe(sha256(`{"path":"${secret}"}`));
    expect(JSON.stringify(view)).not.toContain(secret);
    await decide({ verdict: 'approve', hash: question.argumentsHash });
    await run.result;
    expect(written).toEqual([{ path: secret }]);
    expect(JSON.stringify(await detent.runs.show(run.runId))).not.toContain(secret);
  });

  when('a person writes it into a change', 'it is hidden in what is read back', async () => {
    const { run, written, decide } = await asked(undefined, { env });
    await decide({ verdict: 'modify', arguments: { path: secret } });
    const view = await run.result;
    expect(written).toEqual([{ path: secret }]);
    expect(JSON.stringify(view)).not.toContain(secret);
  });
});

given('several decisions on one call', () => {
  when('they come at once', 'the first one counts, and all are told which that is', async () => {
    const { decide } = await asked();
    const answers = await Promise.all([
      decide({ verdict: 'approve' }),
      decide({ verdict: 'reject' }),
      decide({ verdict: 'modify', arguments: { path: 'b' } }),
    ]);
    const [winner, ...others] = answers.filter(({ applied }) => applied);
    expect(others).toEqual([]);
    expect(new Set(answers.map(({ verdict }) => verdict))).toEqual(new Set([winner?.verdict]));
    for (const { applied, stands } of answers) expect(stands).toBe(applied);
  });

  when('the second one says the same, arguments included', 'it stands; another one does not', async () => {
    const { run, decide } = await asked();
    const modify = (path: string) => decide({ verdict: 'modify', arguments: { path } });
    expect(await modify('b')).toEqual({ applied: true, verdict: 'modify', stands: true });
    await run.result;
    expect(await modify('b')).toEqual({ applied: false, verdict: 'modify', stands: true });
    expect(await modify('c')).toEqual({ applied: false, verdict: 'modify', stands: false });
  });

  when('the second one comes after the run has ended', 'it is told the first one', async () => {
    const { run, decide } = await asked();
    await decide({ verdict: 'reject' });
    await run.result;
    expect(await decide({ verdict: 'approve' })).toMatchObject({ applied: false, verdict: 'reject' });
  });

  for (const [what, act] of [
    ['a message', (made: Awaited<ReturnType<typeof asked>>) => made.run.steer('never mind')],
    ['a cancel', (made: Awaited<ReturnType<typeof asked>>) => made.run.cancel()],
  ] as const)
    when(`${what} came first`, 'the question is withdrawn, and the call never runs', async () => {
      const made = await asked();
      await act(made);
      await made.run.result;
      expect(await made.decide({ verdict: 'approve' })).toMatchObject({
        applied: false,
        verdict: 'withdrawn',
      });
      expect(made.written).toEqual([]);
    });
});

given('two calls in one answer', () => {
  when('they are decided in any order', 'none runs before the last decision, in any process', async () => {
    const seen: unknown[] = [];
    const write = tool('write', { sideEffect: 'unsafe', run: ({ n }) => void seen.push(n) });
    const open = await processes({ tools: { define: [write] } });
    const first = open([calls(['write', { n: 1 }], ['write', { n: 2 }])]);
    const run = first.run('write');
    const { pending } = await run.result;
    await first.close();

    const second = open([]);
    const approve = (call: string, hash?: string) =>
      second.runs.confirm(run.runId, call, { verdict: 'approve', ...(hash && { hash }) });
    await expect(approve('c3', pending[0]?.argumentsHash)).rejects.toMatchObject({ code: 'HASH_MISMATCH' });
    expect(await approve('c3', pending[1]?.argumentsHash)).toMatchObject({ applied: true });
    expect((await second.runs.show(run.runId)).pending.map(({ callId }) => callId)).toEqual(['c2']);
    await second.runs.confirm(run.runId, 'c2', { verdict: 'reject' });
    expect([(await second.runs.show(run.runId)).status, seen]).toEqual(['decided', []]);
    await second.close();

    const third = open([{ text: 'done' }]);
    await third.runs.resume({ runId: run.runId });
    const view = await third.runs.attach(run.runId).result;
    expect([view.text, seen, callsOf(view)]).toEqual([
      'done',
      [2],
      [
        ['rejected', 'REJECTED_BY_USER'],
        ['done', null],
      ],
    ]);
  });
});

/** A session whose runs each call `act` once, with these arguments. */
async function acting(args: readonly object[], options: DetentOptions = {}) {
  const act = tool('act', { sideEffect: 'unsafe', confirm: true });
  const script = args.flatMap((one) => [calls(['act', one]), { text: 'acted' }]);
  const { detent } = await scripted(script, { ...options, tools: { define: [act] } });
  const say = (session = 's', request: RunRequest = {}) =>
    detent.run('act', { sessionId: session, ...request });
  return { detent, say };
}

given('an approval for the rest of the session', () => {
  const granted = async (
    args: readonly object[],
    grant: Extract<ConfirmDecision, { verdict: 'approve' }>['grant'] = {},
  ) => {
    const made = await acting(args);
    const run = made.say();
    await run.result;
    await run.confirm('c2', { verdict: 'approve', grant });
    await run.result;
    return made;
  };

  when('the same call comes again', 'it runs; with other arguments it asks', async () => {
    const { say } = await granted([{ a: 1 }, { a: 1 }, { a: 2 }]);
    expect([(await say().result).status, (await say().result).status]).toEqual(['done', 'waiting']);
  });

  when('it was given by a pattern', 'calls that fit the pattern run', async () => {
    const script = ['npm test', 'npm test -- x', 'npm test; x'].map((command) => ({ command }));
    const { say } = await granted(script, { pattern: { command: { like: 'npm test*' } } });
    expect([(await say().result).status, (await say().result).status]).toEqual(['done', 'waiting']);
  });

  when('another session makes the call', 'it asks', async () => {
    const { say } = await granted([{}, {}]);
    expect((await say('other').result).status).toBe('waiting');
  });

  when('it is revoked', 'the call asks again', async () => {
    const { detent, say } = await granted([{}, {}]);
    await detent.sessions.revokeGrant('s', 1);
    expect(await detent.sessions.grants('s')).toEqual([]);
    expect((await say().result).status).toBe('waiting');
  });
});

given('a run whose request approves all', () => {
  const held = async (extra: { mayApprove?: boolean }) => {
    const { pass, reached, open } = gate();
    const look = tool('look', { run: (_, { signal }) => pass(signal).then(() => 'seen') });
    const act = tool('act', { sideEffect: 'unsafe', confirm: true });
    const model = scriptedModel([calls('look'), calls('act'), { text: 'done' }]);
    const detent = withModel(model, {
      workspace: await temporaryWorkspace(),
      tools: { define: [look, act] },
    });
    const run = detent.run('go', { approve: 'all' });
    await reached;
    await run.steer('go on', extra);
    open();
    return run.result;
  };

  when('it makes an unsafe call', 'no person is asked', async () => {
    const { say } = await acting([{}]);
    expect((await say('s', { approve: 'all' }).result).status).toBe('done');
  });

  when('someone who may not approve sends it a message', 'what follows asks a person', async () => {
    expect((await held({ mayApprove: false })).status).toBe('waiting');
  });

  when('someone who may approve sends it a message', 'it goes on without asking', async () => {
    expect((await held({})).status).toBe('done');
  });
});

given('a run whose request approves none', () => {
  when('it makes a call that would ask', 'the call is refused, and no person is asked', async () => {
    const { say } = await acting([{}]);
    expect(callsOf(await say('s', { approve: 'none' }).result)).toEqual([['rejected', 'REJECTED_BY_POLICY']]);
  });
});

given('a tool whose calls need four eyes', () => {
  const policy = { approve: 'all' as const, fourEyes: ['act'] };

  when('all else says that it runs', 'a person is asked all the same', async () => {
    const { say } = await acting([{}], { policy });
    expect((await say('s', { approve: 'all' }).result).status).toBe('waiting');
  });

  when('who asked for the run decides', 'that is refused; someone else may', async () => {
    const { say } = await acting([{}], { policy });
    const run = say('s', { principal: { userId: 'ada' } });
    await run.result;
    await expect(run.confirm('c2', { verdict: 'approve', by: 'ada' })).rejects.toMatchObject({
      code: 'OWN_REQUEST',
    });
    expect(await run.confirm('c2', { verdict: 'approve', by: 'bob' })).toMatchObject({ applied: true });
    expect((await run.result).status).toBe('done');
  });
});
