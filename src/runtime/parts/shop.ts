import { resolve } from 'node:path';
import type { Clock } from '../../engine/clock.ts';
import { defaultShopFile } from '../../protocol/enums.ts';
import type { AnyShop, ShopSettings } from '../../shop/open-shop.ts';
import type { DetentOptions } from '../config/detent-options.ts';

type RequestTakeover = NonNullable<ShopSettings['requestTakeover']>;

/** Opens the configured shop; null when there is none. */
export async function openConfiguredShop(
  { shop }: DetentOptions,
  workspace: string,
  clock: Clock,
  requestTakeover: RequestTakeover,
): Promise<AnyShop | null> {
  if (shop === undefined) return null;
  const { openHttpShop, openShop, openUcpShop } = await import('../../shop/open-shop.ts');
  const { file = defaultShopFile, http, ucp, ...rest } = shop;
  const settings = {
    ...rest,
    file: file === ':memory:' ? file : resolve(workspace, file),
    now: () => clock.now(),
    requestTakeover,
  };
  if (http !== undefined) return openHttpShop({ ...settings, http });
  return ucp === undefined ? openShop(settings) : openUcpShop({ ...settings, ucp });
}
