import type { AccessTokenStatements } from '../statements/access-tokens.ts';
import { constraintFailed } from './errors.ts';
import { everyRow, type Handlers, type Tables } from './schema.ts';

export function accessTokenStatements({
  accessTokens,
  tokensByAge,
}: Tables): Handlers<AccessTokenStatements> {
  return {
    insertAccessToken(token) {
      if (accessTokens.get(token.id)) throw constraintFailed(`a token ${token.id}`);
      accessTokens.set(token.id, { ...token, revokedAt: null });
      tokensByAge.add(everyRow, { createdAt: token.createdAt, id: token.id });
      return 1;
    },
    findAccessToken: ({ id }) => accessTokens.get(id),
    listAccessTokens: ({ tenant }) =>
      tokensByAge
        .of(everyRow)
        .flatMap(({ id }) => accessTokens.get(id) ?? [])
        .filter((token) => tenant === null || token.tenant === tenant),
    revokeAccessToken({ id, tenant, at }) {
      const token = accessTokens.get(id);
      if (token?.tenant !== tenant || token.revokedAt !== null) return 0;
      accessTokens.set(id, { ...token, revokedAt: at });
      return 1;
    },
  };
}
