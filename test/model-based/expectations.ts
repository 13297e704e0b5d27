import { expect } from 'vitest';
import type { RunContext, RunFailure } from '../../machines/run.types.ts';
import { replay } from '../../src/engine/log/replay.ts';
import { scriptedFailure } from '../../src/testing/agent/run-events.ts';
import type { Conductor } from './conductor.ts';

/** Times are the clock's, keys are hashes, messages are for people. */
export function comparable({
  since: _since,
  spentMs: _spentMs,
  failing: _failing,
  waitedMs: _waitedMs,
  end,
  ...context
}: RunContext) {
  return {
    ...context,
    end: end && { outcome: end.outcome, code: codeOf(end.error) },
  };
}

/** A host that has passed models over says so in place of the last one's failure. */
function codeOf(error: RunFailure | null): string | undefined {
  return error?.code === 'ALL_MODELS_FAILED' ? scriptedFailure.code : error?.code;
}

/** Wherever a run is: its log folds to its row, and an ended one leaves nothing open and every call with one result. */
export async function expectWhole(conductor: Conductor): Promise<void> {
  const { store, engine } = conductor.core;
  const row = await conductor.row();
  const events = await store.query('listEvents', { run: row.pk, after: 0, limit: 10_000 });
  expect(replay(engine.hostOf(row.machine), row, events)).toEqual({ diverged: null, folded: events.length });
  if (!row.ended) return;
  expect(await store.query('listOpenEffects', { run: row.pk })).toEqual([]);
  expect(await store.query('listTimers', { run: row.pk })).toEqual([]);
  const { steps, pending, withdrawn = [] } = await conductor.view();
  const madeAgain = events.filter(({ type, path, body }) => {
    const { partial } = JSON.parse(body) as { partial?: boolean };
    return type === 'model.failed' && partial && path.endsWith('backingOff');
  });
  expect(withdrawn.map(({ seq }) => seq)).toEqual(madeAgain.map(({ seq }) => seq));
  expect(pending).toEqual([]);
  for (const call of steps.flatMap((step) => step.toolCalls)) expect(call.status).not.toBe('pending');
}
