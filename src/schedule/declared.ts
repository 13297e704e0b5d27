import { isDeepStrictEqual } from 'node:util';
import type { Halt, JobDefinition } from '../../machines/job.types.ts';
import { DetentError } from '../protocol/error.ts';
import type { StoredJob } from '../runtime/api/jobs.ts';
import { type DefinitionDefaults, readJob } from './definition.ts';

/** Who declares the jobs of a configuration. */
export const configSource = 'config';

/** Why a job is disabled that its configuration disables. */
export const disabledThere = 'the configuration says so';

/** What brings the stored jobs in line with those of a configuration. */
export interface DeclaredChanges {
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
export function declaredChanges(
  declared: readonly unknown[],
  stored: readonly StoredJob[],
  defaults: DefinitionDefaults,
): DeclaredChanges {
  const byId = new Map(stored.map((job) => [job.row.id, job]));
  const changes: DeclaredChanges = { made: [], changed: [], disabled: [], enabled: [], removed: [] };
  const seen = new Set<string>();
  for (const [i, input] of declared.entries()) {
    const { jobId, enabled, definition } = readAt(i, input, defaults);
    if (seen.has(jobId)) throw invalid(i, `there is another job "${jobId}" in the list`);
    seen.add(jobId);
    const found = byId.get(jobId);
    if (!found) {
      const halt: Halt | null = enabled ? null : { as: 'disabled', reason: disabledThere };
      changes.made.push({ jobId, definition, halt });
      continue;
    }
    if (found.row.source !== configSource)
      throw invalid(
        i,
        `there is a job "${jobId}" that the configuration did not make; rename one of them, or remove that one with: detent cron remove ${jobId}`,
      );
    const { context } = found;
    const wanted = settled(definition, context.definition, input);
    if (!isDeepStrictEqual(wanted, context.definition)) changes.changed.push({ jobId, definition: wanted });
    const isDisabledThere = context.halt?.as === 'disabled' && context.halt.reason === disabledThere;
    if (!enabled && context.halt?.as !== 'disabled') changes.disabled.push(jobId);
    if (enabled && isDisabledThere) changes.enabled.push(jobId);
  }
  for (const { row } of stored)
    if (row.source === configSource && !seen.has(row.id)) changes.removed.push(row.id);
  return changes;
}

/** What was decided when the job was made stays: what its interval counts from, and the clock where it names none. */
function settled(definition: JobDefinition, old: JobDefinition, input: unknown): JobDefinition {
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
    throw invalid(i, error.message, error.code);
  }
}

function invalid(i: number, why: string, code = 'INVALID_JOB'): DetentError {
  return new DetentError(code, `jobs.${i} of the configuration: ${why}`, { details: { place: i } });
}
