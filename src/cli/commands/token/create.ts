import { checkScopes } from '../../../protocol/access.ts';
import { isoTime } from '../../../text/iso-time.ts';
import { withDetent } from '../../drive/with-detent.ts';
import { duration, type Flags, text, wholeNumber } from '../../settings/flags.ts';
import { loadOptions } from '../../settings/load-options.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { tokenFields } from './token-fields.ts';

/** `detent token create`: the token alone on stdout, for `$(…)`. */
export async function createToken(_: readonly string[], flags: Flags, io: Io): Promise<number> {
  const scopes = checkScopes((text(flags, 'scope') ?? '').split(',').map((word) => word.trim()));
  const tenantId = wholeNumber(flags, 'tenant', 1);
  const lastsMs = duration(flags, 'expires');
  const maxRuns = wholeNumber(flags, 'max-runs', 1);
  const userId = text(flags, 'user');
  const name = text(flags, 'name');
  const options = await loadOptions(flags, io);
  const made = await withDetent(options, (detent) =>
    detent.tokens.create({
      scopes,
      ...(tenantId !== undefined && { tenantId }),
      ...(userId !== undefined && { userId }),
      ...(name !== undefined && { name }),
      ...(maxRuns !== undefined && { maxRuns }),
      ...(lastsMs !== undefined && { expiresAt: Date.now() + lastsMs }),
    }),
  );
  if (flags.json) {
    const { id, ...fields } = tokenFields(made);
    io.json({ id, token: made.token, ...fields });
    return exit.ok;
  }
  io.out(`${made.token}\n`);
  const who = made.userId === null ? '' : `, user "${made.userId}"`;
  const end = made.expiresAt === null ? 'does not expire' : `expires ${isoTime(made.expiresAt)}`;
  io.say(`it allows ${made.scopes.join(', ')}; tenant ${made.tenantId}${who}; ${end}`);
  io.say(`keep it: it is not shown again; "detent token revoke ${made.id}" revokes it`);
  return exit.ok;
}
