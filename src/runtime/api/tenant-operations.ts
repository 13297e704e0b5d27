import { resolve } from 'node:path';
import { defaultTenant } from '../../protocol/access.ts';
import { DetentError } from '../../protocol/error.ts';
import { isObject } from '../../protocol/json.ts';
import { type Ask, request } from '../../store/program.ts';
import type { TenantRow } from '../../store/rows.ts';
import type { StatementsOf } from '../../store/statements.ts';
import { detentHome } from '../../text/files.ts';
import type { Listing } from '../config/core.ts';
import type { DetentOptions } from '../config/detent-options.ts';
import { checkTenantName, unknownTenant } from '../requests/check-tenant.ts';
import { realWorkspace, refuseShared } from '../requests/tenant-workspace.ts';

/** A tenant: an owner of sessions, runs, memory and budgets. */
export interface TenantView {
  id: number;
  name: string;
  /** The folder that its runs work in, absolute; null when they have no files, no commands and no MCP servers. */
  workspace: string | null;
}

/** The tenants of a host. Only the host creates them: no client, and no model, names a workspace. */
export interface DetentTenants {
  /**
   * Creates a tenant.
   *
   * @param tenant.name 1 to 64 lower-case letters, digits, `.`, `_` and `-`, with a letter; unique
   * @param tenant.workspace an existing folder, which shares no file with another workspace. Without one its runs have no
   * tools for files and commands
   * @throws DetentError `INVALID_TENANT`, `TENANT_EXISTS`, `INVALID_WORKSPACE`.
   *
   * @example
   * ```ts
   * const acme = (await detent.tenants.find('acme')) ?? (await detent.tenants.create({ name: 'acme', workspace: '/srv/acme' }));
   * detent.run('What is in the inbox?', { principal: { tenantId: acme.id } });
   * ```
   */
  create(tenant: { name: string; workspace?: string }): Promise<TenantView>;
  /** All tenants, by id. The first one is the user of this program. */
  list(): Promise<TenantView[]>;
  /** The tenant with an id or a name; null when there is none. */
  find(tenant: number | string): Promise<TenantView | null>;
  /**
   * Gives a tenant another workspace, or none. Calls that start from then on use it, in every process; files and memory stay
   * where they are.
   *
   * @throws DetentError `UNKNOWN_TENANT`, `INVALID_WORKSPACE`; `INVALID_TENANT` for the first one, which works in the folder
   * that is opened.
   */
  setWorkspace(tenant: number | string, workspace: string | null): Promise<TenantView>;
}

const ask: Ask<StatementsOf<'tenants'>> = request;

/**
 * Makes, finds and changes tenants.
 *
 * @internal
 */
export class Tenants implements DetentTenants {
  readonly #store: Listing['store'];
  readonly #database: string | null;
  readonly #home: string;
  /** The folder that was opened: the workspace of the first tenant. */
  readonly #opened: string;

  constructor(
    { store, database }: Pick<Listing, 'store' | 'database'>,
    { workspace, env = process.env }: DetentOptions,
  ) {
    this.#store = store;
    this.#database = database;
    this.#home = detentHome(env);
    this.#opened = resolve(workspace ?? '.');
  }

  async create(tenant: { name: string; workspace?: string }): Promise<TenantView> {
    const { name, workspace } = checkedFields(tenant);
    const folder = workspace === undefined ? null : await this.#realFolder(workspace);
    const id = await this.#store.commit(function* () {
      const others = yield* ask('listTenants', {});
      if (others.some((other) => other.name === name))
        throw new DetentError('TENANT_EXISTS', `there is a tenant ${JSON.stringify(name)} already`, {
          details: { name },
        });
      if (folder !== null) refuseShared(folder, others);
      return (yield* ask('insertTenant', { name, workspace: folder })).id;
    });
    return { id, name, workspace: folder };
  }

  async list(): Promise<TenantView[]> {
    return (await this.#store.query('listTenants', {})).map((row) => this.#viewOf(row));
  }

  async find(tenant: number | string): Promise<TenantView | null> {
    const row = await this.#find(tenant);
    return row ? this.#viewOf(row) : null;
  }

  async setWorkspace(tenant: number | string, workspace: string | null): Promise<TenantView> {
    const row = await this.#find(tenant);
    if (!row) throw unknownTenant(tenant);
    if (row.id === defaultTenant)
      throw new DetentError(
        'INVALID_TENANT',
        'tenant 1 works in the folder that is opened; name that with the option "workspace"',
      );
    const folder = workspace === null ? null : await this.#realFolder(workspace);
    await this.#store.commit(function* () {
      const others = (yield* ask('listTenants', {})).filter(({ id }) => id !== row.id);
      if (folder !== null) refuseShared(folder, others);
      yield* ask('setTenantWorkspace', { tenant: row.id, workspace: folder });
    });
    return this.#viewOf({ ...row, workspace: folder });
  }

  async #find(tenant: number | string): Promise<TenantRow | undefined> {
    if (typeof tenant === 'string' && !/^\d+$/.test(tenant))
      return this.#store.query('findTenantNamed', { name: tenant });
    const id = Number(tenant);
    return Number.isSafeInteger(id) ? this.#store.query('findTenant', { tenant: id }) : undefined;
  }

  /** The checks against the file system. The checks against other tenants belong in the commit. */
  async #realFolder(workspace: unknown): Promise<string> {
    if (typeof workspace !== 'string' || workspace.trim() === '' || workspace.includes('\0'))
      throw new DetentError('INVALID_WORKSPACE', 'the workspace of a tenant is the path of a folder');
    const own = { workspace: this.#opened, database: this.#database, home: this.#home };
    return realWorkspace(workspace, own);
  }

  #viewOf({ id, name, workspace }: TenantRow): TenantView {
    return { id, name, workspace: id === defaultTenant ? this.#opened : workspace };
  }
}

/** An unknown field may be a restriction with a misspelt name, so it is refused. */
function checkedFields(tenant: unknown): { name: string; workspace: unknown } {
  const { name, workspace, ...others } = isObject(tenant) ? tenant : {};
  checkTenantName(name);
  const [other] = Object.keys(others);
  if (other !== undefined)
    throw new DetentError(
      'INVALID_TENANT',
      `a tenant has no field ${JSON.stringify(other)}; it has name and workspace`,
    );
  return { name, workspace };
}
