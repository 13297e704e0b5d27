import { reading } from '../../drive/with-detent.ts';
import { type Flags, word } from '../../settings/flags.ts';
import { loadOptions } from '../../settings/load-options.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { rememberCopy } from '../../trust/places.ts';

/** `detent backup FILE`. */
export async function backupCommand(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const file = io.path(word(words, 0, 'FILE'));
  const options = await loadOptions(flags, io);
  const overwrite = flags.force === true;
  const made = await reading(options, (detent) => detent.backup(file, { overwrite }));
  rememberCopy({ database: made.file, env: options.env });
  if (flags.json) io.json(made);
  else io.out(`${made.file}  ${(made.bytes / 2 ** 20).toFixed(1)} MB\n`);
  return exit.ok;
}
