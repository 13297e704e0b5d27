import type { TokenView } from '../../../index.ts';
import { checkScopes, checkSight } from '../../../protocol/access.ts';
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
  const sight = checkSight({
    sees: text(flags, 'sees'),
    agents: names(flags, 'agents'),
    workflows: names(flags, 'workflows'),
  });
  const options = await loadOptions(flags, io);
  const made = await withDetent(options, (detent) =>
    detent.tokens.create({
      scopes,
      ...(tenantId !== undefined && { tenantId }),
      ...(userId !== undefined && { userId }),
      ...(name !== undefined && { name }),
      ...sight,
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
  io.say(`it allows ${made.scopes.join(', ')}; tenant ${made.tenantId}${who}${sightOf(made)}; ${end}`);
  io.say(`keep it: it is not shown again; "detent token revoke ${made.id}" revokes it`);
  return exit.ok;
}

function names(flags: Flags, flag: string): string[] | undefined {
  return text(flags, flag)
    ?.split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

function sightOf({ sees, agents, workflows }: TokenView): string {
  const listed = (what: string, names?: readonly string[]) =>
    names ? `; ${what}: ${names.join(', ') || 'none'}` : '';
  return `${sees ? ', sees the tenant' : ''}${listed('agents', agents)}${listed('workflows', workflows)}`;
}
