import type { ConfirmationRow, ConfirmationStatus, Scoped } from '../rows.ts';

/** The questions of a run to people. */
export interface ConfirmationStatements {
  /** Asks about a call. It replaces an undecided question about the call; decided ones stay. */
  insertConfirmation: { in: Omit<ConfirmationRow, 'n' | 'decision' | 'status'> & Scoped; out: number };
  /** The first answer wins: 0 if the question is not open. */
  decideConfirmation: {
    in: { run: number; call: number; status: ConfirmationStatus; decision: string };
    out: number;
  };
  /** The newest question about a call. */
  findConfirmation: { in: { run: number; call: number }; out: ConfirmationRow | undefined };
  /** By call, oldest first. */
  listConfirmations: { in: { run: number }; out: ConfirmationRow[] };
}
