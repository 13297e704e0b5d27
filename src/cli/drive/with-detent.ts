import type { LocalCaller } from '../../gateway/local.ts';
import type { Detent, Workflow } from '../../index.ts';
import { DetentError } from '../../protocol/error.ts';
import { createDetent } from '../../runtime/create-detent.ts';
import { makeDatabase, makeState, rememberLog } from '../../trust/places.ts';
import { localPort } from '../port/local-port.ts';
import type { Port } from '../port/port.ts';
import { type CliOptions, hasDatabase } from '../settings/load-options.ts';

/** Opens a Detent for as long as `work` takes. */
export async function withDetent<T>(options: CliOptions, work: (detent: Detent) => Promise<T>): Promise<T> {
  const { workspace, env, database, readonly, store } = options;
  const place = { workspace, env, database: database.file };
  const isWriter = !readonly && store === undefined;
  if (isWriter)
    remembering(options, () => (database.url === undefined ? makeDatabase(place) : makeState(place)));
  const { machines, tenant: _, ...rest } = options;
  const detent = createDetent({
    ...rest,
    ...(machines && { loadWorkflows: () => loaded(machines, options) }),
  });
  try {
    if (isWriter) {
      await detent.open();
      remembering(options, () => rememberLog(place));
    }
    return await work(detent);
  } finally {
    await detent.close();
  }
}

/** The workflows of the workspace. Files that cannot be used are reported: runs of their charts stand still. */
async function loaded(
  machines: NonNullable<CliOptions['machines']>,
  { onError }: CliOptions,
): Promise<Workflow[]> {
  const files = await machines();
  const unused = files.filter(({ reason }) => reason !== null);
  const [first] = unused;
  if (first) {
    const which =
      unused.length === 1
        ? `${first.name} is not used: ${first.reason}`
        : `${unused.map(({ name }) => name).join(', ')} are not used; "detent workflow list" says why`;
    onError?.(new DetentError('INVALID_WORKFLOW', which), '');
  }
  return files.flatMap(({ workflow, reason }) => (workflow && reason === null ? [workflow] : []));
}

/**
 * Speaks to the gateway that the options name, and to a Detent of this process without one.
 *
 * @param caller for whom, in this process; a gateway knows that by the token
 */
export async function withPort<T>(
  options: CliOptions,
  work: (port: Port) => Promise<T>,
  caller?: LocalCaller,
): Promise<T> {
  const { server, onError } = options;
  if (server === undefined)
    return withDetent(options, async (detent) =>
      work(localPort(detent, { ...caller, ...(await tenantOf(detent, options)) })),
    );
  const { gatewayPort } = await import('../port/gateway-port.ts');
  const { port, close } = gatewayPort(server, (error) => onError?.(error, ''));
  try {
    return await work(port);
  } finally {
    close();
  }
}

/** The tenant that a command is about, if it names one. @throws DetentError `UNKNOWN_TENANT`. */
export async function tenantOf({ tenants }: Detent, { tenant }: CliOptions): Promise<{ tenantId?: number }> {
  if (tenant === undefined) return {};
  const found = await tenants.find(tenant);
  if (found) return { tenantId: found.id };
  const { unknownTenant } = await import('../../runtime/requests.ts');
  throw unknownTenant(tenant);
}

/** As {@link withPort}; a Detent of this process is opened as {@link reading} does. */
export function readingPort<T>(
  options: CliOptions,
  work: (port: Port) => Promise<T>,
  caller?: LocalCaller,
): Promise<T> {
  return withPort({ ...options, readonly: true }, work, caller);
}

/** The command works without the record; the next one asks about the database. */
function remembering({ onError }: CliOptions, record: () => void): void {
  try {
    record();
  } catch (error) {
    // Opening the database reports what is wrong with its folder.
    if (DetentError.is(error)) onError?.(error, '');
  }
}

/** Opens a Detent read-only, so that another process may drive the database meanwhile. */
export function reading<T>(options: CliOptions, work: (detent: Detent) => Promise<T>): Promise<T> {
  return withDetent({ ...options, readonly: true }, work);
}

/**
 * Leads from a server's folder, where tenant 1 has nothing, to what its other tenants have.
 *
 * @returns null where the command was about all that is here
 */
export async function ofOthers(options: CliOptions, what: string, command: string): Promise<string | null> {
  if (!hasDatabase(options) || options.server !== undefined || options.tenant !== undefined) return null;
  const [, first, ...more] = await reading(options, ({ tenants }) => tenants.list());
  if (!first) return null;
  const others = more.length === 0 ? '' : `; ${more.length} more: "detent tenant list"`;
  return `${what}: "detent ${command} --tenant ${first.name}"${others}`;
}
