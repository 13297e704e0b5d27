import type { RunContext } from '../../../machines/run.types.ts';
import { describeStop, hasHooks, hookedRun, runHooks } from '../../call/hooks.ts';
import { ownPlace, places } from '../../engine/foreign-code.ts';
import { DetentError } from '../../protocol/error.ts';
import type { HookSet } from '../../protocol/ports.ts';
import type { RunRow } from '../../store/rows.ts';
import { makesCalls, readRun } from '../../store/stored-run.ts';
import type { Store } from '../effect/statements.ts';

/** Calls the `runEnd` hooks of runs whose end is committed. */
export interface EndTeller {
  tell(row: RunRow): void;
  /** Resolves when all hooks that were called have finished. */
  settled(): Promise<void>;
}

/** @param report gets the errors of hooks: the run has ended, so no transition can record them. */
export function createEndTeller(
  set: HookSet,
  store: Pick<Store<'sumUsage'>, 'query'>,
  report: (error: unknown, runId: string) => void,
): EndTeller | null {
  if (!hasHooks(set, 'runEnd')) return null;
  const open = new Set<Promise<void>>();
  const call = async (row: RunRow) => {
    const { signal } = new AbortController();
    const view = await endView(row, store);
    const viewOf = () => view;
    const { stopped } = await places.run(ownPlace({ runId: row.id, report }), () =>
      runHooks(set, 'runEnd', signal, { value: null, viewOf }),
    );
    if (stopped) throw new DetentError(stopped.code, describeStop(stopped), { details: { runId: row.id } });
  };
  return {
    tell(row) {
      if (!makesCalls(row) || row.ended === 0) return;
      const telling = call(row)
        .catch((error) => report(error, row.id))
        .finally(() => open.delete(telling));
      open.add(telling);
    },
    settled: async () => void (await Promise.allSettled(open)),
  };
}

async function endView(row: RunRow, store: Pick<Store<'sumUsage'>, 'query'>): Promise<object> {
  const { options, context, output } = readRun(row);
  // A call that no model asked for is one step.
  const { steps = 1, tokensIn, tokensOut, costUsd }: Partial<RunContext> = context;
  return {
    ...hookedRun(row, options),
    ...output,
    steps,
    inputTokens: tokensIn,
    outputTokens: tokensOut,
    costUsd: costUsd || (await costWithoutSum(row, store)),
  };
}

/** A run without known prices has 0 in its context, which adds them up: only the ledger knows it from one that was free. */
async function costWithoutSum(
  { tenant, id }: RunRow,
  store: Pick<Store<'sumUsage'>, 'query'>,
): Promise<number | null> {
  const whole = { from: 0, to: Number.MAX_SAFE_INTEGER, sessionKey: null, user: null, reach: null, limit: 1 };
  const [sum] = await store.query('sumUsage', { tenant, by: 'run', runId: id, ...whole });
  return sum ? sum.costUsd : 0;
}
