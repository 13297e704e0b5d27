import type { AccessTokenRow } from '../rows.ts';

/** Tokens that let clients in. One is found by its id alone, because the token says of which tenant its client is. */
export interface AccessTokenStatements {
  insertAccessToken: { in: Omit<AccessTokenRow, 'revokedAt'>; out: number };
  findAccessToken: { in: { id: string }; out: AccessTokenRow | undefined };
  /** Oldest first; null for those of all tenants. */
  listAccessTokens: { in: { tenant: number | null }; out: AccessTokenRow[] };
  /** 0 if it was revoked before, is of another tenant, or is not there. */
  revokeAccessToken: { in: { id: string; tenant: number; at: number }; out: number };
}
