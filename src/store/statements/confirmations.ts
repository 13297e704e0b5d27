import type { ConfirmationRow, ConfirmationStatus, Scoped } from '../rows.ts';

/** The questions of a run to people. */
export interface ConfirmationStatements {
  insertConfirmation: { in: Omit<ConfirmationRow, 'decision' | 'status'> & Scoped; out: number };
  /** The first answer wins: 0 if the question is not open. */
  decideConfirmation: {
    in: { run: number; call: number; status: ConfirmationStatus; decision: string };
    out: number;
  };
  findConfirmation: { in: { run: number; call: number }; out: ConfirmationRow | undefined };
  listConfirmations: { in: { run: number }; out: ConfirmationRow[] };
}
