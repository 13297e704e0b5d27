import type { Standing } from './long-run.ts';

/** What must be in a fork of a run that stood like this: the same, but for what was in flight. */
export function forkedFrom({ row, effects, timers, confirmations, messages }: Standing, at = row.updatedAt) {
  return {
    state: row.state,
    context: row.context,
    output: row.output,
    effects: effects.map(({ n, name, params, input, status, attempt }) => {
      const isOpen =
        status === 'held' || status === 'uncertain' || status === 'started' || status === 'pending';
      return {
        n,
        name,
        params,
        input: isOpen ? madeAgain(input) : input,
        status: status === 'started' ? 'pending' : status,
        attempt: isOpen ? 0 : attempt,
      };
    }),
    timers: timers.map(({ id, event, dueAt }) => ({ id, event, leftMs: dueAt - at })),
    confirmations: confirmations.map(({ run: _, decision, ...question }) => ({
      ...question,
      decision: decision && JSON.stringify({ ...JSON.parse(decision), copied: true }),
    })),
    messages: messages.map(({ seq, i, role, body, at }) => ({ seq, i, role, body: withoutKeys(body), at })),
  };
}

/** What approved a call was for the original. */
function madeAgain(input: string | null): string | null {
  const call = JSON.parse(input ?? 'null');
  return call && !call.question && !call.client ? JSON.stringify({ ...call, again: true }) : input;
}

export function found({ row, effects, timers, confirmations, messages }: Standing, at: number) {
  return {
    state: row.state,
    context: row.context,
    output: row.output,
    effects: effects.map(({ run: _, driver: __, fence: ___, ...effect }) => effect),
    timers: timers.map(({ id, event, dueAt }) => ({ id, event, leftMs: dueAt - at })),
    confirmations: confirmations.map(({ run: _, ...question }) => question),
    messages: messages.map(({ seq, i, role, body, at }) => ({ seq, i, role, body: withoutKeys(body), at })),
  };
}

/** A summary names a run by its key, which is another in the fork. */
function withoutKeys(body: string): unknown {
  const { head, ...rest } = JSON.parse(body);
  return { ...rest, ...(head && { head: head.seq }) };
}
