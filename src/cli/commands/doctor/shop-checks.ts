import { messageOf } from '../../../protocol/error.ts';
import { withDetent } from '../../drive/with-detent.ts';
import type { CliOptions } from '../../settings/load-options.ts';
import { type Check, ok, type Subject, warn } from './check.ts';

const subject: Subject = ['shop', 'Shop'];

/**
 * Asks a shop that is somewhere else whether it answers, and whether what it answers fits. A finding is a warning, since runs work
 * without it.
 *
 * @param isOffline whether to ask nobody
 */
export async function checkShop(options: CliOptions, isOffline: boolean): Promise<Check[]> {
  if (options.shop?.http === undefined && options.shop?.ucp === undefined) return [];
  if (isOffline) return [ok(subject, 'not checked, because of --offline')];
  try {
    return [ok(subject, await withDetent({ ...options, store: 'in-process' }, ({ shop }) => shop.check()))];
  } catch (error) {
    const remedy = 'check the address, the operations and the headers of the shop: see docs/shop.md';
    return [warn(subject, messageOf(error), remedy)];
  }
}
