import { resolve } from 'node:path';
import type { Clock } from '../../engine/clock.ts';
import { defaultShopFile } from '../../protocol/config.ts';
import type { OpenShop, ShopOptions } from '../../shop/open-shop.ts';
import type { DetentOptions } from '../config/detent-options.ts';

type RequestTakeover = NonNullable<ShopOptions['requestTakeover']>;

/** Opens the configured shop; null when there is none. */
export async function openConfiguredShop(
  { shop }: DetentOptions,
  workspace: string,
  clock: Clock,
  requestTakeover: RequestTakeover,
): Promise<OpenShop | null> {
  if (shop === undefined) return null;
  const { openShop } = await import('../../shop/open-shop.ts');
  const { file = defaultShopFile, ...rest } = shop;
  return openShop({
    ...rest,
    file: file === ':memory:' ? file : resolve(workspace, file),
    now: () => clock.now(),
    requestTakeover,
  });
}
