import type { GrantRow, Scoped } from '../rows.ts';

/** Approvals for the rest of a session. */
export interface GrantStatements {
  /** Inserts a grant under the next number of its session. */
  insertGrant: { in: Omit<GrantRow, 'n'> & Scoped; out: { n: number } };
  /** The grants in force, oldest first. */
  listGrants: { in: { session: number }; out: GrantRow[] };
  /** Keeps the row, so its number is not reused. 0 if the grant is not in force. */
  revokeGrant: { in: { session: number; n: number; at: number }; out: number };
}
