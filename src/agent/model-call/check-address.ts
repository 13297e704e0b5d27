import { addressFlags, addressNotNamed } from '../../models/provider-config.ts';
import type { ModelDirectory } from '../../protocol/ports.ts';
import type { TakeableRun } from '../../store/rows.ts';
import { optionsOf } from '../../store/stored-run.ts';

/**
 * Checks that this process, or its configuration, names the address that a run was created with. A run that makes one given
 * call has none.
 *
 * @throws DetentError `ADDRESS_NOT_NAMED` with the command that resumes the run.
 */
export function checkAddress(models: Pick<ModelDirectory, 'addressNow'>, row: TakeableRun): void {
  const { model, endpoint, call } = optionsOf(row);
  if (call) return;
  if (models.addressNow(model, endpoint) !== undefined) return;
  throw addressNotNamed(model, endpoint, `detent runs resume ${row.id}${addressFlags(endpoint)}`);
}
