import { defaultTenant } from '../../protocol/tenant.ts';
import type { TenantRow } from '../rows.ts';
import type { TenantStatements } from '../statements/tenants.ts';
import { constraintFailed } from './errors.ts';
import { everyRow, type Handlers, type Tables } from './schema.ts';

/** Every store begins with it. */
const first: TenantRow = { id: defaultTenant, name: 'default', workspace: null };

export function tenantStatements({ tenants }: Tables): Handlers<TenantStatements> {
  const all = (): TenantRow[] => {
    const made = tenants.of(everyRow);
    return made[0]?.id === defaultTenant ? [...made] : [first, ...made];
  };
  const find = (wanted: (row: TenantRow) => boolean): TenantRow | undefined => {
    const row = all().find(wanted);
    return row && { ...row };
  };
  return {
    findTenant: ({ tenant }) => find(({ id }) => id === tenant),
    findTenantNamed: ({ name }) => find((row) => row.name === name),
    listTenants: () => all().map((row) => ({ ...row })),

    insertTenant({ name, workspace }) {
      if (find((row) => row.name === name)) throw constraintFailed(`tenant "${name}" exists`);
      const id = (all().at(-1)?.id ?? 0) + 1;
      tenants.add(everyRow, { id, name, workspace });
      return { id };
    },

    setTenantWorkspace({ tenant, workspace }) {
      const row = find(({ id }) => id === tenant);
      if (!row) return 0;
      if (tenants.find(everyRow, row)) tenants.replace(everyRow, { ...row, workspace });
      else tenants.add(everyRow, { ...row, workspace });
      return 1;
    },
  };
}
