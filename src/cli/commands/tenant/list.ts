import type { TenantView } from '../../../index.ts';
import { defaultTenant } from '../../../protocol/tenant.ts';
import { reading } from '../../drive/with-detent.ts';
import type { Flags } from '../../settings/flags.ts';
import { hasDatabase, loadOptions } from '../../settings/load-options.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';

/** `detent tenant list`. */
export async function listTenants(_: readonly string[], flags: Flags, io: Io): Promise<number> {
  const options = await loadOptions(flags, io);
  const first: TenantView = { id: defaultTenant, name: 'default', workspace: options.workspace };
  // Every database begins with this tenant, so none is made to say so.
  const tenants = hasDatabase(options) ? await reading(options, (detent) => detent.tenants.list()) : [first];
  if (flags.json) io.json(tenants);
  else for (const tenant of tenants) io.out(`${describeTenant(tenant)}\n`);
  return exit.ok;
}

/** `2  acme  /srv/acme`. */
export function describeTenant({ id, name, workspace }: TenantView): string {
  return `${id}  ${name}  ${workspace ?? '(no workspace)'}`;
}
