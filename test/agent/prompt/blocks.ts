import fc from 'fast-check';
import type { AssistantBody, StoredMessage, ToolBody } from '../../../src/store/stored-message.ts';

export function assistantBody(over: Partial<AssistantBody> = {}): AssistantBody {
  return {
    effectId: 1,
    upTo: 0,
    provider: 'test/m',
    model: 'm',
    text: '',
    reasoning: '',
    refusal: '',
    finishReason: 'stop',
    finish: 'stop',
    usage: null,
    costUsd: null,
    toolCalls: [],
    error: null,
    ...over,
  };
}

export function toolBody(callId: number, over: Partial<ToolBody> = {}): ToolBody {
  return { callId, text: `result ${callId}`, isError: false, code: null, status: 'done', ...over };
}

export const user = (run: number, seq: number, text = `u${run}.${seq}`): StoredMessage => ({
  run,
  seq,
  at: 0,
  role: 'user',
  body: { text },
});

export const answer = (run: number, seq: number, over: Partial<AssistantBody> = {}): StoredMessage => ({
  run,
  seq,
  at: 0,
  role: 'assistant',
  body: assistantBody({ text: `a${run}.${seq}`, upTo: seq - 1, ...over }),
});

export const result = (
  run: number,
  seq: number,
  callId: number,
  over: Partial<ToolBody> = {},
): StoredMessage => ({
  run,
  seq,
  at: 0,
  role: 'tool',
  body: toolBody(callId, over),
});

export const calls = (...ids: number[]) =>
  ids.map((callId) => ({ callId, id: `call_${callId}`, name: 'look', arguments: '{}' }));

/** Histories as the log may hold them: users speak at any time, results come in any order after their answer. */
export const history: fc.Arbitrary<StoredMessage[]> = fc
  .array(
    fc.array(
      fc.record({ calls: fc.nat(3), late: fc.nat(2), text: fc.string({ maxLength: 60 }), big: fc.boolean() }),
      { maxLength: 6 },
    ),
    { minLength: 1, maxLength: 3 },
  )
  .map((runs) => runs.flatMap((steps, i) => runOf(i + 1, steps)));

function runOf(
  run: number,
  steps: { calls: number; late: number; text: string; big: boolean }[],
): StoredMessage[] {
  const messages = [user(run, 0)];
  let seq = 1;
  let callId = 1;
  for (const step of steps) {
    const upTo = seq;
    // One speaks while the model thinks, one while its calls run.
    if (step.late > 0) messages.push(user(run, ++seq));
    const ids = Array.from({ length: step.calls }, () => ++callId);
    const text = step.calls === 0 ? step.text || 'words' : step.text;
    messages.push(answer(run, ++seq, { upTo, toolCalls: calls(...ids), text }));
    if (step.late > 1) messages.push(user(run, ++seq));
    for (const id of ids.toReversed())
      messages.push(result(run, ++seq, id, step.big ? { text: 'x'.repeat(3_000) } : {}));
  }
  return messages;
}
