import type { GrantView } from '../../../index.ts';
import { reading, withDetent } from '../../drive/with-detent.ts';
import { type Flags, wholeNumber } from '../../settings/flags.ts';
import { exit } from '../../terminal/exit-codes.ts';
import { out, printable, say } from '../../terminal/say.ts';
import { namedSession } from './require-session.ts';

/** `detent sessions grants K`. */
export async function sessionGrants(words: readonly string[], flags: Flags): Promise<number> {
  const revoke = wholeNumber(flags, 'revoke', 1);
  const { key, options } = await namedSession(words, flags);
  if (revoke !== undefined) {
    await withDetent(options, (detent) => detent.sessions.revokeGrant(key, revoke));
    out(
      flags.json ? `${JSON.stringify({ sessionId: key, revoked: revoke })}\n` : `revoked: grant ${revoke}\n`,
    );
    return exit.ok;
  }
  const grants = await reading(options, (detent) => detent.sessions.grants(key));
  if (flags.json) out(`${JSON.stringify(grants)}\n`);
  else if (grants.length === 0) say(`nothing is allowed for the rest of session "${printable(key)}"`);
  else for (const grant of grants) out(printable(`${describe(grant)}\n`));
  return exit.ok;
}

function describe({ n, tool, pattern, by, at, runId, callId }: GrantView): string {
  const who = by === null ? '' : `, by ${by}`;
  return `${n}  ${tool} ${JSON.stringify(pattern)}  ${new Date(at).toISOString()}, with ${callId} of ${runId}${who}`;
}
