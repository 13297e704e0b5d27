import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { RunEvent } from '../../../machines/run.types.ts';
import type { DetentOptions } from '../../../src/index.ts';
import { modelError } from '../../../src/models/wire/model-error.ts';
import type { ModelAnswer } from '../../../src/protocol/content.ts';
import type { JsonObject } from '../../../src/protocol/json.ts';
import type { ChatModel } from '../../../src/protocol/ports/chat-model.ts';
import { openInMemory } from '../../../src/store/sql/in-memory.ts';
import type { ScriptLine } from '../../../src/testing/index.ts';
import { eventInput, put, withRuns } from '../../store/rows.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { scripted, tool } from '../../support/detent.ts';
import { inSizes } from '../../support/size.ts';
import { exported, imported } from './support.ts';

type Line = JsonObject & { type: string; seq: number; ts: number };

const parsed = (lines: readonly string[]) => lines.map((line) => JSON.parse(line) as Line);

/** The export of a session that a script drove to its end. */
async function story(script: readonly ScriptLine[], options: DetentOptions = {}) {
  const { detent, workspace } = await scripted(script, options);
  const run = detent.run('go', { sessionId: 's' });
  const view = await run.result;
  const raw = await Array.fromAsync(detent.sessions.export('s'));
  const lines = parsed(raw);
  const of = (type: string) => lines.filter((line) => line.type === type);
  return { detent, run, view, raw, lines, of, workspace };
}

const write = tool('write', { sideEffect: 'unsafe' });

const plainAnswer: ModelAnswer = {
  model: 'm',
  text: 'ok',
  reasoning: '',
  refusal: '',
  toolCalls: [],
  finishReason: 'stop',
  finish: 'stop',
  usage: null,
  error: null,
};

describe('an exported session', () => {
  it('speaks the vocabulary of the Kotlin SDK, each line with its number and its time in seconds', async () => {
    const before = Date.now();
    const { lines, raw, run, workspace } = await story(
      [
        { text: 'Let me look.', toolCalls: [{ id: 'call_1', name: 'look', arguments: { at: 'x' } }] },
        { text: 'It is there.' },
      ],
      { tools: { define: [tool('look', { run: () => 'a house' })] } },
    );
    const known = lines.filter(({ type }) => !type.startsWith('detent.'));
    expect(known.map(({ seq, ts, ...line }) => line)).toEqual([
      {
        type: 'system.init',
        session_id: 's',
        cwd: workspace,
        sdk_version: expect.stringMatching(/^detent\/\d/),
      },
      { type: 'user.message', text: 'go' },
      { type: 'assistant.message', text: 'Let me look.', is_summary: false },
      { type: 'tool.use', tool_use_id: 'call_1', name: 'look', input: { at: 'x' } },
      { type: 'tool.result', tool_use_id: 'call_1', output: 'a house', is_error: false },
      { type: 'assistant.message', text: 'It is there.', is_summary: false },
      {
        type: 'result',
        final_text: 'It is there.',
        session_id: 's',
        stop_reason: 'end',
        usage: expect.objectContaining({
          input_tokens: expect.any(Number),
          output_tokens: expect.any(Number),
        }),
        steps: 2,
      },
    ]);
    expect(lines.map(({ seq }) => seq)).toEqual(lines.map((_, i) => i + 1));
    for (const line of raw) {
      const [, ts] = /^\{"type":"[^"]+","seq":\d+,"ts":(\d+\.\d{1,3})[,}]/.exec(line) ?? [];
      expect(Number(ts) * 1000).toBeGreaterThanOrEqual(before - 1);
      expect(Number(ts) * 1000).toBeLessThanOrEqual(Date.now() + 1);
    }
    expect(lines.find(({ type }) => type === 'detent.run')).toMatchObject({
      run_id: run.runId,
      machine: 'run',
    });
  });

  it('has every transition of the log with its body, state path and hash', async () => {
    const { lines, run } = await story([{ toolCalls: [{ name: 'look' }] }, { text: 'ok' }], {
      tools: { define: [tool('look')] },
    });
    const transitions = lines.filter(({ path }) => path !== undefined);
    expect(transitions.map(({ type, run_id, run_seq, path }) => [type, run_id, run_seq, path])).toEqual([
      ['detent.run.start', run.runId, 1, 'active.working.thinking.requesting'],
      ['detent.model.done', run.runId, 2, 'active.working.tooling.executing'],
      ['detent.tool.done', run.runId, 3, 'active.working.thinking.requesting'],
      ['detent.model.done', run.runId, 4, 'done'],
    ]);
    for (const { hash } of transitions) expect(hash).toMatch(/^[0-9a-z]{11}$/);
    expect(transitions[1]?.event).toMatchObject({ effectId: 1, finish: 'toolCalls', calls: [{ callId: 2 }] });
  });

  it('says ToolNotAllowed of a tool that is not on the list, and UnknownTool of one that is nowhere', async () => {
    const performed = vi.fn();
    const { of } = await story([{ toolCalls: [{ name: 'look' }, { name: 'lok' }] }, { text: 'ok' }], {
      tools: { define: [tool('look', { run: performed }), tool('see')], allowed: ['see'] },
    });
    expect(performed).not.toHaveBeenCalled();
    expect(of('tool.result').map(({ is_error, error_type }) => [is_error, error_type])).toEqual([
      [true, 'ToolNotAllowed'],
      [true, 'UnknownTool'],
    ]);
    expect(of('detent.result').map(({ result }) => (result as JsonObject).code)).toEqual([
      'TOOL_NOT_ALLOWED',
      'UNKNOWN_TOOL',
    ]);
  });

  it('says PermissionDenied of what a person rejects, with the question and the decision', async () => {
    const { detent, run, of } = await story(
      [{ toolCalls: [{ name: 'write', arguments: { a: 1 } }] }, { text: 'ok' }],
      {
        tools: { define: [write] },
      },
    );
    expect(of('tool.use')).toHaveLength(1);
    expect(of('tool.result')).toEqual([]);
    expect(of('result')).toEqual([]);
    await run.confirm('c2', { verdict: 'reject', reason: 'not now' });
    await run.result;
    const lines = await Array.fromAsync(detent.sessions.export('s'));
    const find = (type: string) => parsed(lines).find((line) => line.type === type);
    expect(find('tool.result')).toMatchObject({
      is_error: true,
      error_type: 'PermissionDenied',
      error_message: 'The user rejected this call: not now',
    });
    expect(find('tool.result')).not.toHaveProperty('output');
    expect(find('user.question')).toMatchObject({ question_id: find('tool.use')?.tool_use_id });
    expect(find('detent.confirmation')?.confirmation).toMatchObject({
      status: 'rejected',
      decision: { verdict: 'reject', reason: 'not now' },
    });
    expect(find('detent.confirm.decide')?.event).toMatchObject({ verdict: 'reject', reason: 'not now' });
  });

  it.each(['REJECTED_BY_POLICY', 'TOOL_FAILED'])('knows where %s belongs', async (code) => {
    const { errorTypeOf, failureOf } = await import('../../../src/runs/sessions/vocabulary.ts');
    expect(errorTypeOf(code)).toBe(code === 'TOOL_FAILED' ? 'ToolError' : 'PermissionDenied');
    expect(failureOf('ToolNotAllowed').code).toBe('TOOL_NOT_ALLOWED');
    expect(failureOf('HookBlocked').code).toBe('TOOL_FAILED');
  });

  it('keeps what the vocabulary has no word for: reasoning, raw arguments, refusals, costs', async () => {
    const { of } = await story([
      { text: 'hm', reasoning: 'because', toolCalls: [{ name: 'look', arguments: '{"a":  1, broken' }] },
      { refusal: 'I will not.' },
    ]);
    const [first, second] = of('detent.answer').map(({ answer }) => answer as JsonObject);
    expect(first).toMatchObject({ reasoning: 'because', toolCalls: [{ arguments: '{"a":  1, broken' }] });
    expect(first).toHaveProperty('usage');
    expect(of('tool.use')[0]?.input).toEqual({});
    expect(second).toMatchObject({ refusal: 'I will not.' });
    expect(of('assistant.message').map(({ text }) => text)).toEqual(['hm', 'I will not.']);
  });

  it('gives calls ids that name one call each, whatever the provider sent', async () => {
    const call = { id: 'call_0', name: 'look' };
    const { of } = await story([{ toolCalls: [call, call, { id: '', name: 'look' }] }, { text: 'ok' }], {
      tools: { define: [tool('look')] },
    });
    const ids = of('tool.use').map(({ tool_use_id }) => tool_use_id);
    expect(new Set(ids).size).toBe(3);
    expect(of('tool.result').map(({ tool_use_id }) => tool_use_id)).toEqual(ids);
    expect(of('detent.answer')[0]?.answer).toMatchObject({
      toolCalls: [{ id: 'call_0' }, { id: 'call_0' }, { id: '' }],
    });
  });

  it('has long outputs whole', async () => {
    const { of } = await story([{ toolCalls: [{ name: 'look' }] }, { text: 'ok' }], {
      tools: { define: [tool('look', { run: () => 'y'.repeat(60_000) })] },
    });
    expect(String(of('tool.result')[0]?.output).length).toBeLessThan(10_000);
    expect(of('detent.artifact')[0]?.artifact).toMatchObject({ body: 'y'.repeat(60_000) });
  });

  it.each([
    ['max_steps', [{ toolCalls: [{ name: 'look' }] }], { limits: { maxSteps: 1 } }],
    ['error', [{ error: modelError('auth', 'no key') }], {}],
    ['refused', [{ refusal: 'no' }], {}],
  ] as const)('ends with the stop reason %s', async (reason, script, options) => {
    const { of } = await story(script as unknown as ScriptLine[], {
      tools: { define: [tool('look')] },
      ...options,
    });
    expect(of('result')).toMatchObject([{ stop_reason: reason }]);
    expect(of('detent.end')).toHaveLength(1);
  });

  it('names the response that a provider keeps, where there is one', async () => {
    const options = { providerData: { openai_responses: { model: 'm', thread: { id: 'resp_1' } } } };
    const kept = { generate: async () => ({ ...plainAnswer, ...options }) };
    const { detent } = await scripted([], { models: { test: kept } });
    await detent.run('go', { sessionId: 's' }).result;
    const lines = await Array.fromAsync(detent.sessions.export('s'));
    expect(parsed(lines).at(-1)).toMatchObject({ type: 'result', response_id: 'resp_1' });
    const { of } = await story([{ text: 'ok' }]);
    expect(of('result')[0]).not.toHaveProperty('response_id');
  });

  it('holds no piece of a streaming answer', async () => {
    const pieces = ['Longjing is ', 'picked in ', 'early April'];
    const streaming: ChatModel = {
      generate: async (_, { onDelta }) => {
        for (const piece of pieces) onDelta({ type: 'text', text: piece });
        return { ...plainAnswer, text: pieces.join('') };
      },
    };
    const { detent } = await scripted([], { models: { test: streaming } });
    const run = detent.run('go', { sessionId: 's' });
    const heard: string[] = [];
    detent.on(run.runId, ({ type }) => heard.push(type));
    await run.result;
    expect(heard.filter((type) => type === 'delta')).toHaveLength(3);
    const lines = await Array.fromAsync(detent.sessions.export('s'));
    expect(lines.filter((line) => line.includes('delta'))).toEqual([]);
    const found = lines.filter((line) => pieces.some((piece) => line.includes(piece)));
    expect(found.length).toBeGreaterThan(0);
    for (const line of found) expect(line).toContain(pieces.join(''));
  });
});

const text = fc.oneof(fc.string({ unit: anyCharacter }), fc.constantFrom('', '"\\\n', '夜🚀', '\ud800'));
const whole = fc.nat();
const failure = fc.record({ code: text, message: text, retryable: fc.boolean() });
const cost = fc.record({
  inputTokens: whole,
  outputTokens: whole,
  costUsd: fc.double({ noNaN: true, noDefaultInfinity: true }),
});
const sideEffect = fc.constantFrom('readonly', 'idempotent', 'probe', 'unsafe');
const call = fc.record(
  {
    callId: whole,
    gate: fc.constantFrom('run', 'ask', 'refuse'),
    class: sideEffect,
    byPolicy: fc.boolean(),
    key: text,
  },
  { requiredKeys: ['callId', 'gate', 'class'] },
);
const effectId = whole;

/** The bodies of every event that a run knows; a type that is missing here does not compile. */
const bodies: { [K in RunEvent['type']]: fc.Arbitrary<object> } = {
  'run.start': fc.constant({}),
  'run.message': fc.constant({}),
  'run.cancel': fc.record({ reason: text }, { requiredKeys: [] }),
  'confirm.decide': fc.record(
    { callId: whole, verdict: fc.constantFrom('approve', 'reject', 'modify'), class: sideEffect },
    { requiredKeys: ['callId', 'verdict'] },
  ),
  'tool.reconcile': fc.record({
    callId: whole,
    verdict: fc.constantFrom('ran', 'retry', 'skip'),
    result: text,
  }),
  'context.tooBig': fc.record({ effectId, tokens: whole, cost }, { requiredKeys: ['effectId', 'tokens'] }),
  'context.pruned': fc.record({ effectId, results: whole, tokens: whole, saved: whole }),
  'model.done': fc.record({ effectId, finish: text, text: fc.boolean(), calls: fc.array(call), cost }),
  'model.failed': fc.record({
    effectId,
    error: failure,
    outcome: text,
    partial: fc.boolean(),
    delayMs: whole,
    cost,
  }),
  'model.switched': fc.record({ effectId, from: text, to: text, error: failure, cost }),
  'tool.done': fc.record({ effectId, key: text, cost }, { requiredKeys: ['effectId', 'key'] }),
  'tool.failed': fc.record({ effectId, code: text, key: text }),
  'tool.uncertain': fc.record({ effectId }),
  'tool.asked': fc.record({ callId: whole, key: text, question: fc.record({ text }) }),
  'flush.done': fc.record({ effectId, how: text, lines: whole, cost }, { requiredKeys: ['effectId'] }),
  'flush.failed': fc.record({ effectId, error: failure, cost }, { requiredKeys: ['effectId', 'error'] }),
  'compact.done': fc.record({ effectId, cost }),
  'compact.failed': fc.record({ effectId, error: failure, cost }),
  'effect.poisoned': fc.record({ effectId }),
  'subrun.parked': fc.record({ callId: whole }),
  'subrun.resumed': fc.record({ callId: whole }),
  'run.resumed': fc.record({ lastAt: whole }),
  'run.faulted': fc.record({ code: text, message: text }),
  'timer.queue': fc.constant({}),
  'timer.deadline': fc.constant({}),
  'timer.backoff': fc.constant({}),
  'timer.confirm': fc.constant({}),
  'timer.reconcile': fc.constant({}),
};

/**
 * The JSON.parse of Node 24.21 misreads keys: once it has read `{"x":1,"\\":2}`, with a key of one backslash, it reads the
 * key of `{"x":1,"\n":2}` and of any other escape as that backslash.
 */
const isReadRight = (value: object) => !JSON.stringify(value).includes(String.raw`"\\":`);

const machineEvent = fc.oneof(
  ...Object.entries(bodies).map(([type, body]) =>
    // Fields that a later version may add are kept too.
    fc
      .tuple(body, fc.dictionary(text, fc.jsonValue()).filter(isReadRight))
      .map(([known, more]) => ({ type, body: { ...more, ...known } })),
  ),
);

describe('every event of a run', () => {
  it('survives export and import unchanged, with its time, state path and hash', async () => {
    const at = fc.integer({ min: 0, max: 4_000_000_000_000 });
    // A column of text is UTF-8: half of a surrogate pair survives only in JSON, which escapes it.
    const column = text.map((drawn) => drawn.toWellFormed());
    const row = fc.record({ event: machineEvent, at, path: column, hash: column });
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 30 }), async (rows) => {
        const store = await withRuns(openInMemory());
        for (const [i, { event, ...rest }] of rows.entries()) {
          const body = JSON.stringify(event.body);
          await put(store, 'insertEvent', eventInput({ ...rest, seq: i + 1, type: event.type, body }));
        }
        const last = { seq: rows.length, fence: 1, state: '""', context: '{}', updatedAt: 1 };
        await put(store, 'advanceRun', { pk: 1, was: 0, wasDriver: 0, ...last });
        const lines = await exported(store, 's1');
        const copy = await imported(lines);
        expect(await exported(copy.store, 's1')).toEqual(lines);
        const found = parsed(lines).filter(({ run_seq }) => run_seq !== undefined);
        const read = found.map(({ type, ts, path, hash, event }) => ({
          type,
          at: Math.round(ts * 1000),
          path,
          hash,
          event: JSON.stringify(event),
        }));
        expect(read).toEqual(
          rows.map(({ event, ...rest }) => ({
            ...JSON.parse(JSON.stringify(rest)),
            type: `detent.${event.type}`,
            event: JSON.stringify(event.body),
          })),
        );
      }),
      { numRuns: inSizes({ usual: 15, deep: 60, full: 1_000 }) },
    );
  });
});
