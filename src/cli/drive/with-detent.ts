import type { Detent, Workflow } from '../../index.ts';
import { DetentError } from '../../protocol/error.ts';
import { createDetent } from '../../runtime/create-detent.ts';
import type { CliOptions } from '../settings/load-options.ts';
import type { ServerPlace } from '../settings/server.ts';
import { makeDatabase, rememberLog } from '../trust/places.ts';

/** Opens a Detent for as long as `work` takes. */
export async function withDetent<T>(options: CliOptions, work: (detent: Detent) => Promise<T>): Promise<T> {
  if (options.server) return remotely(options, options.server, work);
  const { workspace, env, database, readonly, store } = options;
  const place = { workspace, env, database: database.file };
  const isWriter = !readonly && store === undefined;
  if (isWriter) remembering(options, () => makeDatabase(place));
  const { machines, ...rest } = options;
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

/** Speaks to a gateway instead of opening a database. */
async function remotely<T>(
  { onError }: CliOptions,
  server: ServerPlace,
  work: (detent: Detent) => Promise<T>,
): Promise<T> {
  const { remoteDetent } = await import('../remote/remote-detent.ts');
  const detent = remoteDetent(server, (error) => onError?.(error, ''));
  try {
    return await work(detent);
  } finally {
    await detent.close();
  }
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
