import { withDetent } from '../../drive/with-detent.ts';
import { type Flags, text, word } from '../../settings/flags.ts';
import { loadOptions } from '../../settings/load-options.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { describeTenant } from './list.ts';

/** `detent tenant create NAME`. */
export async function createTenant(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const name = word(words, 0, 'NAME');
  const workspace = text(flags, 'workspace');
  const options = await loadOptions(placeOf(flags), io);
  const made = await withDetent(options, (detent) =>
    detent.tenants.create({ name, ...(workspace !== undefined && { workspace: io.path(workspace) }) }),
  );
  if (flags.json) io.json(made);
  else io.out(`${describeTenant(made)}\n`);
  return exit.ok;
}

/** The flags as `loadOptions` reads them: the opened folder is --in here. */
export function placeOf({ workspace: _, in: opened, ...flags }: Flags): Flags {
  return { ...flags, ...(opened !== undefined && { workspace: opened }) };
}
