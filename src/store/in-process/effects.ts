import type { EffectRow, EffectStatus } from '../rows.ts';
import type { EffectStatements } from '../statements/effects.ts';
import { constraintFailed } from './errors.ts';
import { type Handlers, requireRun, type Tables } from './schema.ts';

const isOver = (status: EffectStatus) => status === 'done' || status === 'cancelled';

export function effectStatements(tables: Tables): Handlers<EffectStatements> {
  const { effects } = tables;
  const change = (row: EffectRow, changes: Partial<EffectRow>) => {
    effects.replace(row.run, { ...row, ...changes });
    return 1;
  };
  return {
    insertEffect({ run, n, name, params, input, status, attempt, driver, fence }) {
      requireRun(tables, run);
      if (!effects.add(run, { run, n, name, params, input, status, attempt, driver, fence }))
        throw constraintFailed(`run ${run} has an effect ${n}`);
      return 1;
    },

    startEffect({ run, n, driver, fence, status, attempts }) {
      const row = effects.find(run, { n });
      if (!row || isOver(row.status)) return 0;
      if (row.status === 'linked' || (row.status === 'started' && row.fence >= fence)) return 0;
      return change(row, { status, driver, fence, attempt: row.attempt + attempts });
    },

    settleEffect({ run, n, status }) {
      const row = effects.find(run, { n });
      if (row?.status !== 'started' && (row?.status !== 'linked' || status === 'linked')) return 0;
      // An uncertain call may run again, with this input; so may a linked one, in a fork.
      const mayRunAgain = status === 'uncertain' || status === 'linked';
      return change(row, { status, ...(!mayRunAgain && { input: null }) });
    },

    uncountAttempt({ run, n, fence }) {
      const row = effects.find(run, { n });
      const isMine = row?.status === 'started' && row.fence === fence && row.attempt > 0;
      return isMine ? change(row, { attempt: row.attempt - 1 }) : 0;
    },

    closeEffect({ run, n }) {
      const row = effects.find(run, { n });
      return row && !isOver(row.status) ? change(row, { status: 'cancelled', input: null }) : 0;
    },

    changeEffectInput({ run, n, input }) {
      const row = effects.find(run, { n });
      return row ? change(row, { input }) : 0;
    },

    changeEffect({ run, n, name, params }) {
      const row = effects.find(run, { n });
      return row ? change(row, { name, params }) : 0;
    },

    findEffect({ run, n }) {
      const row = effects.find(run, { n });
      return row && { ...row };
    },

    listOpenEffects: ({ run }) =>
      effects
        .of(run)
        .filter(({ status }) => !isOver(status))
        .map((row) => ({ ...row })),

    listEffects: ({ run }) => effects.of(run).map((row) => ({ ...row })),
  };
}
