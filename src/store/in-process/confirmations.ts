import type { ConfirmationStatements } from '../statements/confirmations.ts';
import { type Handlers, requireRun, type Tables } from './schema.ts';

export function confirmationStatements(tables: Tables): Handlers<ConfirmationStatements> {
  const { confirmations } = tables;
  return {
    insertConfirmation({ run, call, kind, hash, body, askedAt }) {
      requireRun(tables, run);
      const asked = { run, call, kind, status: 'open', hash, body, askedAt } as const;
      const old = confirmations.find(run, { call });
      // A call that was approved, ran and became uncertain needs a second confirmation row.
      if (old) confirmations.replace(run, { ...old, ...asked });
      else confirmations.add(run, { ...asked, decision: null });
      return 1;
    },

    decideConfirmation({ run, call, status, decision }) {
      const row = confirmations.find(run, { call });
      if (row?.status !== 'open') return 0;
      confirmations.replace(run, { ...row, status, decision });
      return 1;
    },

    findConfirmation({ run, call }) {
      const row = confirmations.find(run, { call });
      return row && { ...row };
    },

    listConfirmations: ({ run }) => confirmations.of(run).map((row) => ({ ...row })),
  };
}
