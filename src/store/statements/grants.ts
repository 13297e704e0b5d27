import type { GrantRow, Scoped } from '../rows.ts';

/** What a person approved for the rest of a session. */
export interface GrantStatements {
  /** Gives it the next number of its session. */
  insertGrant: { in: Omit<GrantRow, 'n'> & Scoped; out: { n: number } };
  /** Those in force, first ones first. */
  listGrants: { in: { session: number }; out: GrantRow[] };
  /** Its row stays, and so does its number; 0 when it is not in force. */
  revokeGrant: { in: { session: number; n: number; at: number }; out: number };
}
