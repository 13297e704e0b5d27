import type { TokenView } from '../../../index.ts';
import { reading } from '../../drive/with-detent.ts';
import type { Flags } from '../../settings/flags.ts';
import { hasDatabase, loadOptions } from '../../settings/load-options.ts';
import { type Column, listed, timeCell } from '../../terminal/columns.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { tokenFields } from './token-fields.ts';

type Listed = TokenView & { status: 'active' | 'expired' | 'revoked' };

/** `detent token list`: never a secret, because the database has none. */
export async function listTokens(_: readonly string[], flags: Flags, io: Io): Promise<number> {
  const options = await loadOptions(flags, io);
  const found = hasDatabase(options) ? await reading(options, (detent) => detent.tokens.list()) : [];
  const now = Date.now();
  const tokens = found.map((token) => ({ ...token, status: statusOf(token, now) }));
  if (flags.json) io.json(tokens.map(inJson));
  else if (tokens.length > 0) io.out(listed(tokens, columnsFor(io), io.stdout));
  else io.say('there are no tokens here yet; "detent token create --scope read,write" makes one');
  return exit.ok;
}

function inJson(token: Listed) {
  const { name, status, createdAt, revokedAt } = token;
  return { ...tokenFields(token), name, status, createdAt, ...(revokedAt !== null && { revokedAt }) };
}

function statusOf({ revokedAt, expiresAt }: TokenView, now: number): Listed['status'] {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'active';
}

function columnsFor({ stdout }: Io): Column<Listed>[] {
  return [
    { title: 'id', cell: ({ id }) => id },
    { title: 'status', cell: ({ status }) => status },
    { title: 'scopes', cell: ({ scopes }) => scopes.join(',') },
    { title: 'tenant', cell: ({ tenantId }) => String(tenantId), rank: 3, unless: '1' },
    { title: 'user', cell: ({ userId }) => userId ?? '-', min: 8, rank: 4, unless: '-' },
    { title: 'made', cell: ({ createdAt }) => timeCell(createdAt, stdout), rank: 1 },
    { title: 'expires', cell: ({ expiresAt }) => dayOf(expiresAt), rank: 2 },
    { title: 'name', cell: ({ name }) => name || '-', min: 8, unless: '-' },
  ];
}

function dayOf(at: number | null): string {
  return at === null ? 'never' : timeCell(at, { isTTY: false });
}
