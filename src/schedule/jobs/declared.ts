import { isDeepStrictEqual } from 'node:util';
import type { Halt, JobDefinition } from '../../../machines/job.types.ts';
import { defaultTenant } from '../../protocol/access.ts';
import { DetentError } from '../../protocol/error.ts';
import type { JobInput } from '../../protocol/methods.ts';
import { shellWord } from '../../text/wording.ts';
import type { Reconciled } from '../api.ts';
import type { NewJob, StoredJob, StoredJobs } from '../stored-jobs.ts';
import { type DefinitionDefaults, readJob } from './definition.ts';
import { reasons } from './stillness.ts';

/** Who declares the jobs of a configuration. */
export const configSource = 'config';

const page = 500;

/** Brings the stored jobs in line with the declared ones, if any are declared. @throws DetentError as {@link declaredChanges}. */
export async function reconcileDeclared(
  jobs: StoredJobs,
  declared: readonly JobInput[] | undefined,
  { isDry = false, removes = true }: { isDry?: boolean; removes?: boolean },
  defaults: DefinitionDefaults,
  check: (jobId: string, definition: JobDefinition) => Promise<void>,
): Promise<Reconciled> {
  if (!declared) return { made: [], changed: [], removed: [] };
  const stored = await storedBeside(jobs, declared);
  const changes = declaredChanges(declared, stored, defaults);
  const { made, changed, disabled, enabled } = changes;
  const removed = removes ? changes.removed : [];
  const said = {
    made: made.map(({ jobId }) => jobId),
    changed: [...new Set([...changed.map(({ jobId }) => jobId), ...disabled, ...enabled])],
    removed,
  };
  if (isDry) return said;
  for (const { jobId, definition } of [...made, ...changed]) await check(jobId, definition);
  const about = { tenant: defaultTenant, user: null, source: configSource, from: defaults.now };
  for (const { jobId, ...job } of made) await makeUnlessMade(jobs, { ...about, ...job, id: jobId });
  for (const { jobId, definition } of changed)
    await jobs.command(defaultTenant, jobId, { type: 'job.update', definition });
  for (const jobId of disabled)
    await jobs.command(defaultTenant, jobId, { type: 'job.disable', reason: reasons.configured });
  for (const jobId of enabled) await jobs.command(defaultTenant, jobId, { type: 'job.enable' });
  for (const job of stored) if (removed.includes(job.row.id)) await jobs.remove(defaultTenant, job);
  return said;
}

/** Those that were declared, and those with the ids of declared ones. */
async function storedBeside(jobs: StoredJobs, declared: readonly JobInput[]): Promise<StoredJob[]> {
  const ids = new Set(declared.map((job) => job?.jobId));
  const beside: StoredJob[] = [];
  for (let after: string | undefined = ''; after !== undefined; ) {
    const stored: StoredJob[] = await jobs.list(defaultTenant, { after, limit: page });
    beside.push(...stored.filter(({ row }) => row.source === configSource || ids.has(row.id)));
    after = stored.length < page ? undefined : stored.at(-1)?.row.id;
  }
  return beside;
}

/** Another process may have made the job a moment ago. */
async function makeUnlessMade(jobs: StoredJobs, job: NewJob): Promise<void> {
  try {
    await jobs.create(job);
  } catch (error) {
    const isMade = (await jobs.find(job.tenant, job.id))?.row.source === configSource;
    if (!isMade) throw error;
  }
}

/** The changes that bring the stored jobs in line with those of a configuration. */
interface DeclaredChanges {
  made: { jobId: string; definition: JobDefinition; halt: Halt | null }[];
  changed: { jobId: string; definition: JobDefinition }[];
  disabled: string[];
  enabled: string[];
  removed: string[];
}

/**
 * Compares the jobs of a configuration with the stored ones. All of them are checked before any is written.
 *
 * @param stored those that a configuration declared, and those with the ids of these jobs
 * @throws DetentError `INVALID_JOB` with the place in the list, also for a job that a person or program made under that id.
 */
function declaredChanges(
  declared: readonly unknown[],
  stored: readonly StoredJob[],
  defaults: DefinitionDefaults,
): DeclaredChanges {
  const byId = new Map(stored.map((job) => [job.row.id, job]));
  const changes: DeclaredChanges = { made: [], changed: [], disabled: [], enabled: [], removed: [] };
  const seen = new Set<string>();
  for (const [i, input] of declared.entries()) {
    const { jobId, enabled, definition } = readAt(i, input, defaults);
    if (seen.has(jobId)) throw invalidDeclaration(i, `there is another job "${jobId}" in the list`);
    seen.add(jobId);
    const found = byId.get(jobId);
    if (!found) {
      const halt: Halt | null = enabled ? null : { as: 'disabled', reason: reasons.configured };
      changes.made.push({ jobId, definition, halt });
      continue;
    }
    if (found.row.source !== configSource)
      throw invalidDeclaration(
        i,
        `there is a job "${jobId}" that the configuration did not make; rename one of them, or remove that one with: detent cron remove ${shellWord(jobId)}`,
      );
    const { context } = found;
    const wanted = settled(definition, context.definition, input);
    if (!isDeepStrictEqual(wanted, context.definition)) changes.changed.push({ jobId, definition: wanted });
    const isDisabledThere = context.halt?.as === 'disabled' && context.halt.reason === reasons.configured;
    if (!enabled && context.halt?.as !== 'disabled') changes.disabled.push(jobId);
    if (enabled && isDisabledThere) changes.enabled.push(jobId);
  }
  for (const { row } of stored)
    if (row.source === configSource && !seen.has(row.id)) changes.removed.push(row.id);
  return changes;
}

/**
 * Keeps the defaults that were chosen when the job was made: the start of its interval, and the time zone and the session if it names
 * none.
 */
function settled(written: JobDefinition, old: JobDefinition, input: unknown): JobDefinition {
  const { session, ...rest } = written;
  const isOfEarlierVersion = old.session === undefined && session === null;
  const definition = isOfEarlierVersion ? rest : written;
  const { schedule } = definition;
  if (schedule.kind === 'every' && old.schedule.kind === 'every' && old.schedule.everyMs === schedule.everyMs)
    return { ...definition, schedule: old.schedule };
  const namesZone = (input as { timeZone?: string }).timeZone !== undefined;
  if (namesZone || schedule.kind !== 'cron' || old.schedule.kind !== 'cron') return definition;
  return { ...definition, schedule: { ...schedule, timeZone: old.schedule.timeZone } };
}

function readAt(i: number, input: unknown, defaults: DefinitionDefaults): ReturnType<typeof readJob> {
  try {
    return readJob(input, defaults);
  } catch (error) {
    if (!DetentError.is(error)) throw error;
    throw invalidDeclaration(i, error.message, error.code);
  }
}

function invalidDeclaration(i: number, why: string, code = 'INVALID_JOB'): DetentError {
  return new DetentError(code, `jobs.${i} of the configuration: ${why}`, { details: { place: i } });
}
