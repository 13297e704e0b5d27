import { type Kysely, sql } from 'kysely';
import type { AccessTokenStatements } from '../../statements/access-tokens.ts';
import type { Database } from '../schema.ts';
import type { Queries } from './query.ts';

const tokens = (k: Kysely<Database>) =>
  k
    .selectFrom('access_tokens')
    .select([
      'id',
      'tenant_id as tenant',
      'user_id as user',
      'name',
      'scopes',
      'secret_hash as secretHash',
      'created_at as createdAt',
      'expires_at as expiresAt',
      'max_runs as maxRuns',
      'sight',
      'revoked_at as revokedAt',
    ]);

export const accessTokenQueries = {
  insertAccessToken: [
    'run',
    (k, p) =>
      k.insertInto('access_tokens').values({
        id: p.id,
        tenant_id: p.tenant,
        user_id: p.user,
        name: p.name,
        scopes: p.scopes,
        secret_hash: p.secretHash,
        created_at: p.createdAt,
        expires_at: p.expiresAt,
        max_runs: p.maxRuns,
        sight: p.sight,
        revoked_at: null,
      }),
  ],
  findAccessToken: ['get', (k, p) => tokens(k).where('id', '=', p.id)],
  listAccessTokens: [
    'all',
    (k, p) =>
      tokens(k)
        .where(sql<boolean>`(${p.tenant} is null or tenant_id = ${p.tenant})`)
        .orderBy('created_at')
        .orderBy('id'),
  ],
  revokeAccessToken: [
    'run',
    (k, p) =>
      k
        .updateTable('access_tokens')
        .set({ revoked_at: p.at })
        .where('id', '=', p.id)
        .where('tenant_id', '=', p.tenant)
        .where('revoked_at', 'is', null),
  ],
} satisfies Queries<AccessTokenStatements>;
