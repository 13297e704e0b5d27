import { unknownTenant } from '../../../runtime/requests/check-tenant.ts';
import { withDetent } from '../../drive/with-detent.ts';
import { type Flags, text, usage, word } from '../../settings/flags.ts';
import { hasDatabase, loadOptions } from '../../settings/load-options.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { placeOf } from './create.ts';
import { describeTenant } from './list.ts';

/** `detent tenant set NAME --workspace DIR | --no-workspace`. */
export async function setTenant(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const name = word(words, 0, 'NAME');
  const workspace = text(flags, 'workspace');
  // The command line has them as one option, so the last one counts.
  if (workspace === undefined && !flags['no-workspace'])
    throw usage('give either --workspace DIR or --no-workspace');
  const options = await loadOptions(placeOf(flags), io);
  if (!hasDatabase(options)) throw unknownTenant(name);
  const changed = await withDetent(options, (detent) =>
    detent.tenants.setWorkspace(name, workspace === undefined ? null : io.path(workspace)),
  );
  if (flags.json) io.json(changed);
  else io.out(`${describeTenant(changed)}\n`);
  return exit.ok;
}
