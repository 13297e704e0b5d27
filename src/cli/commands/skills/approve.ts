import { DetentError } from '../../../protocol/error.ts';
import { type Flags, word } from '../../settings/flags.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { skillsOf } from './skills.ts';

/** `detent skills approve SKILL`: trusts it with its present files. */
export async function approveSkill(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const name = word(words, 0, 'SKILL');
  const { library } = await skillsOf(flags, io);
  const hash = await library.approve(name);
  if (flags.json) io.json({ name, hash });
  else
    io.out(
      `approved ${name} as it is (${hash.slice(0, 12)}…); approve it again after any change to its files\n`,
    );
  return exit.ok;
}

/** `detent skills revoke SKILL`. */
export async function revokeSkill(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const name = word(words, 0, 'SKILL');
  const { library } = await skillsOf(flags, io);
  const revoked = await library.revoke(name);
  if (revoked === 0) throw new DetentError('NOT_FOUND', `no skill "${name}" was approved`);
  if (flags.json) io.json({ name, revoked });
  else io.out(`${name} is no longer trusted\n`);
  return exit.ok;
}
