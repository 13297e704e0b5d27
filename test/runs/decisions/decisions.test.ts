import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type DetentOptions, defineTool } from '../../../src/index.ts';
import { argumentsHash } from '../../../src/records/call-input.ts';
import { scripted, type tool } from '../../support/detent.ts';

const sha256 = (text: string) => createHash('sha256').update(text, 'utf8').digest('hex');

function spy(over: Partial<Parameters<typeof tool>[1]> = {}) {
  const seen: unknown[] = [];
  const write = defineTool({
    name: 'write',
    description: 'writes',
    parameters: z.object({ path: z.string(), n: z.number().optional() }),
    sideEffect: 'unsafe',
    run: (args) => {
      seen.push(args);
      return 'written';
    },
    ...(over as object),
  });
  return { seen, write };
}

/** A run that is parked on one call of `write`, with these argument bytes. */
async function parked(raw: string, options: DetentOptions = {}) {
  const { seen, write } = spy();
  const script = [{ toolCalls: [{ name: 'write', arguments: raw }] }, { text: 'done' }];
  const { detent, model } = await scripted(script, { tools: { define: [write] }, ...options });
  const run = detent.run('write');
  const view = await run.result;
  const [pending] = view.pending;
  if (!pending) throw new Error(`nothing is asked: ${view.status} ${view.error?.message}`);
  return { detent, model, run, view, pending, seen };
}

describe('the hash of arguments', () => {
  it('is SHA-256 of their UTF-8 bytes, in hex', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme' }), async (text) => {
        expect(await argumentsHash(text)).toBe(sha256(text));
      }),
    );
  });

  it('that is shown is of the very bytes that the model wrote', async () => {
    const raw = '{ "path":  "a b" , "n":1e0 }';
    const { pending } = await parked(raw);
    expect([pending.argumentsHash, pending.arguments]).toEqual([sha256(raw), { path: 'a b', n: 1 }]);
  });
});

describe('an approval', () => {
  it('lets the call run with what was shown', async () => {
    const { run, pending, seen } = await parked('{"path":"a"}');
    expect(await run.confirm(pending.callId, { verdict: 'approve', hash: pending.argumentsHash })).toEqual({
      applied: true,
      verdict: 'approve',
      stands: true,
    });
    const view = await run.result;
    expect([view.text, seen, view.steps[0]?.toolCalls[0]]).toMatchObject([
      'done',
      [{ path: 'a' }],
      { status: 'done', decision: 'approve', result: 'written' },
    ]);
  });

  it('for other arguments than those that wait is refused, and changes nothing', async () => {
    const { run, pending, seen } = await parked('{"path":"a"}');
    const wrong = run.confirm(pending.callId, { verdict: 'approve', hash: sha256('{"path":"b"}') });
    await expect(wrong).rejects.toMatchObject({
      code: 'HASH_MISMATCH',
      details: { callId: pending.callId, expected: pending.argumentsHash },
    });
    expect([seen, (await run.result).status]).toEqual([[], 'waiting']);
  });

  it('without a hash trusts the caller', async () => {
    const { run, pending } = await parked('{"path":"a"}');
    expect((await run.confirm(pending.callId, { verdict: 'approve' })).applied).toBe(true);
  });

  it('works on arguments that hold a known secret: hidden in every row that is shown, whole for the tool', async () => {
    const secret = 'super-secret-value';
    const { run, detent, pending, seen, view } = await parked(`{"path":"${secret}"}`, {
      env: { X_TOKEN: secret },
    });
    expect(pending.arguments).toEqual({ path: '[redacted:X_TOKEN]' });
    expect(pending.argumentsHash).toBe(sha256(`{"path":"${secret}"}`));
    expect(JSON.stringify(view)).not.toContain(secret);
    await run.confirm(pending.callId, { verdict: 'approve', hash: pending.argumentsHash });
    await run.result;
    expect(seen).toEqual([{ path: secret }]);
    expect(JSON.stringify(await detent.runs.show(run.runId))).not.toContain(secret);
  });
});

describe('a rejection', () => {
  it('tells the model why', async () => {
    const { run, model, pending, seen } = await parked('{"path":"a"}');
    await run.confirm(pending.callId, { verdict: 'reject', reason: 'not on Fridays' });
    const view = await run.result;
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({
      role: 'tool',
      text: 'The user rejected this call: not on Fridays',
      isError: true,
    });
    expect([seen, view.steps[0]?.toolCalls[0]]).toMatchObject([
      [],
      { status: 'rejected', code: 'REJECTED_BY_USER', decision: 'reject' },
    ]);
  });
});

describe('a modification', () => {
  it.each([
    ['an object', { path: 'b' }, '{"path":"b"}'],
    ['JSON text, to the byte', '{ "path" : "b" }', '{ "path" : "b" }'],
  ])('with %s runs what was approved and nothing else', async (_, given, executed) => {
    const { run, pending, seen, detent } = await parked('{"path":"a"}');
    await run.confirm(pending.callId, { verdict: 'modify', arguments: given, hash: pending.argumentsHash });
    const view = await run.result;
    expect(seen).toEqual([{ path: 'b' }]);
    expect(view.steps[0]?.toolCalls[0]).toMatchObject({
      argumentsRaw: '{"path":"a"}',
      arguments: { path: 'b' },
      decision: 'modify',
      status: 'done',
      result: `[The user changed the arguments to ${executed}]\nwritten`,
    });
    expect(await detent.runs.allowed(run.runId)).toEqual([]);
  });

  it('that does not fit the tool is refused, and the call waits on', async () => {
    const { run, pending, seen } = await parked('{"path":"a"}');
    for (const bad of [{ path: 7 }, 'not json', [1], undefined])
      await expect(run.confirm(pending.callId, { verdict: 'modify', arguments: bad })).rejects.toMatchObject({
        code: 'INVALID_ARGUMENTS',
      });
    expect([seen, (await run.result).pending.length]).toEqual([[], 1]);
    await run.confirm(pending.callId, { verdict: 'approve' });
    expect((await run.result).status).toBe('done');
  });

  it('names the hash of what it replaces', async () => {
    const { run, pending } = await parked('{"path":"a"}');
    const wrong = run.confirm(pending.callId, {
      verdict: 'modify',
      arguments: { path: 'b' },
      hash: sha256('x'),
    });
    await expect(wrong).rejects.toMatchObject({ code: 'HASH_MISMATCH' });
  });

  it('is read back without the secrets that it holds', async () => {
    const secret = 'super-secret-value';
    const { run, pending, seen } = await parked('{"path":"a"}', { env: { X_TOKEN: secret } });
    await run.confirm(pending.callId, { verdict: 'modify', arguments: { path: secret } });
    const view = await run.result;
    expect(seen).toEqual([{ path: secret }]);
    expect(JSON.stringify(view)).not.toContain(secret);
  });
});

describe('the first answer', () => {
  it('wins; the second is told what it was', async () => {
    const { run, pending } = await parked('{"path":"a"}');
    const answers = await Promise.all([
      run.confirm(pending.callId, { verdict: 'approve' }),
      run.confirm(pending.callId, { verdict: 'reject' }),
      run.confirm(pending.callId, { verdict: 'modify', arguments: { path: 'b' } }),
    ]);
    expect(answers.filter(({ applied }) => applied)).toHaveLength(1);
    const winner = answers.find(({ applied }) => applied)?.verdict;
    expect(new Set(answers.map(({ verdict }) => verdict))).toEqual(new Set([winner]));
  });

  it('stands when the second says the same, arguments included', async () => {
    const { run, pending } = await parked('{"path":"a"}');
    const modify = (path: string) => run.confirm(pending.callId, { verdict: 'modify', arguments: { path } });
    expect(await modify('b')).toEqual({ applied: true, verdict: 'modify', stands: true });
    await run.result;
    expect(await modify('b')).toEqual({ applied: false, verdict: 'modify', stands: true });
    expect(await modify('c')).toEqual({ applied: false, verdict: 'modify', stands: false });
  });

  it('is known for ever', async () => {
    const { run, pending } = await parked('{"path":"a"}');
    await run.confirm(pending.callId, { verdict: 'reject' });
    await run.result;
    expect(await run.confirm(pending.callId, { verdict: 'approve' })).toEqual({
      applied: false,
      verdict: 'reject',
      stands: false,
    });
  });

  it('may have been a message or a cancel: then it is told that the question was withdrawn', async () => {
    const first = await parked('{"path":"a"}');
    await first.run.steer('never mind');
    await first.run.result;
    expect(await first.run.confirm(first.pending.callId, { verdict: 'approve' })).toEqual({
      applied: false,
      verdict: 'withdrawn',
      stands: false,
    });
    const second = await parked('{"path":"a"}');
    await second.run.cancel();
    expect(await second.run.confirm(second.pending.callId, { verdict: 'approve' })).toEqual({
      applied: false,
      verdict: 'withdrawn',
      stands: false,
    });
    expect([first.seen, second.seen]).toEqual([[], []]);
  });

  it.each(['c99', '1', 'c1'])('cannot be given to a call that asks nothing: %s', async (call) => {
    const { run } = await parked('{"path":"a"}');
    await expect(run.confirm(call, { verdict: 'approve' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it.each(['', 'x', 'c', '-1', 'c1.5', '99999999999'])(
    'cannot be given to what is no call id: %j',
    async (call) => {
      const { run } = await parked('{"path":"a"}');
      await expect(run.confirm(call, { verdict: 'approve' })).rejects.toMatchObject({
        code: 'INVALID_CALL_ID',
      });
    },
  );

  it('to a confirmation cannot be a word on an interrupted call', async () => {
    const { detent, run, pending } = await parked('{"path":"a"}');
    await expect(detent.runs.reconcile(run.runId, pending.callId, { verdict: 'ran' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });
});
