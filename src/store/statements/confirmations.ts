import type { ConfirmationRow, ConfirmationStatus, Scoped } from '../rows.ts';

/** What a run asks a person. */
export interface ConfirmationStatements {
  insertConfirmation: { in: Omit<ConfirmationRow, 'decision' | 'status'> & Scoped; out: number };
  /** First answer wins: 0 when it is not open. */
  decideConfirmation: {
    in: { run: number; call: number; status: ConfirmationStatus; decision: string };
    out: number;
  };
  findConfirmation: { in: { run: number; call: number }; out: ConfirmationRow | undefined };
  listConfirmations: { in: { run: number }; out: ConfirmationRow[] };
}
