import type { ConfirmationRow, ConfirmationStatus, Scoped } from '../rows.ts';

/** A question of which a hook is to be told, and its run. */
export interface UntoldRow extends ConfirmationRow {
  tenant: number;
  runId: string;
  lastDriver: number | null;
}

/** The questions of a run to people. */
export interface ConfirmationStatements {
  /** Asks about a call. It replaces an undecided question about the call; decided ones stay. */
  insertConfirmation: {
    in: Omit<ConfirmationRow, 'n' | 'decision' | 'status' | 'told'> & Scoped;
    out: number;
  };
  /** The first answer wins: 0 if the question is not open. */
  decideConfirmation: {
    in: { run: number; call: number; status: ConfirmationStatus; decision: string };
    out: number;
  };
  /** The newest question about a call. */
  findConfirmation: { in: { run: number; call: number }; out: ConfirmationRow | undefined };
  /** By call, oldest first. */
  listConfirmations: { in: { run: number }; out: ConfirmationRow[] };
  /** Of runs of all tenants: open ones of which no hook was told, and decided ones whose asking was told. By run and call. */
  listUntold: { in: { after: number; limit: number }; out: UntoldRow[] };
  markTold: { in: { run: number; call: number; n: number; told: 1 | 2 }; out: number };
}
