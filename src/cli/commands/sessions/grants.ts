import type { GrantView } from '../../../index.ts';
import { isoTime } from '../../../text/iso-time.ts';
import { reading, withDetent } from '../../drive/with-detent.ts';
import { type Flags, wholeNumber } from '../../settings/flags.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { namedSession } from './require-session.ts';

/** `detent sessions grants K`. */
export async function sessionGrants(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const revoke = wholeNumber(flags, 'revoke', 1);
  const { key, options } = await namedSession(words, flags, io);
  if (revoke !== undefined) {
    await withDetent(options, (detent) => detent.sessions.revokeGrant(key, revoke));
    if (flags.json) io.json({ sessionId: key, revoked: revoke });
    else io.out(`revoked: grant ${revoke}\n`);
    return exit.ok;
  }
  const grants = await reading(options, (detent) => detent.sessions.grants(key));
  if (flags.json) io.json(grants);
  else if (grants.length === 0) io.say(`session "${key}" has no grants`);
  else for (const grant of grants) io.out(`${describe(grant)}\n`);
  return exit.ok;
}

function describe({ n, tool, pattern, by, at, runId, callId }: GrantView): string {
  const who = by === null ? '' : `, by ${by}`;
  return `${n}  ${tool} ${JSON.stringify(pattern)}  ${isoTime(at)}, with ${callId} of ${runId}${who}`;
}
