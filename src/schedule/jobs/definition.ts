import {
  cronDialects,
  type JobDefinition,
  type JobTarget,
  overlapPolicies,
} from '../../../machines/job.types.ts';
import { checkSessionKey } from '../../protocol/access.ts';
import { DetentError } from '../../protocol/error.ts';
import { oneOf, shown } from '../../protocol/json.ts';
import {
  type JobChange,
  type JobInput,
  jobChange,
  jobInput,
  type ScheduleFields,
} from '../../protocol/methods.ts';
import { misfirePolicyOf } from '../times/misfire.ts';
import { parseSchedule, writtenMs } from '../times/schedule.ts';

/** The defaults of a schedule. */
export interface DefinitionDefaults {
  /** The time zone of expressions that name none. */
  timeZone: string;
  now: number;
}

const [minute, day] = [60_000, 86_400_000];

const usual: Omit<JobDefinition, 'schedule' | 'prompt' | 'workflow' | 'input'> = {
  agent: null,
  model: null,
  session: null,
  skill: null,
  deliver: [],
  misfire: 'once',
  graceMs: minute,
  windowMs: day,
  overlap: 'skip',
  jitterMs: 0,
  pauseAfter: 10,
  alertAfter: null,
  alert: [],
  keep: 100,
  limits: null,
  budget: null,
  attempts: 8,
};

/** What only a prompt has. */
const promptFields = ['agent', 'model', 'session', 'skill'] as const;

/** What the services of a workflow may spend together. */
const flowLimits: readonly string[] = ['maxTokens', 'maxCostUsd'];

/** The default number of failures in a row after which `alert` is notified. */
const usualAlertAfter = 2;

/**
 * Checks a job as a person or a program wrote it.
 *
 * @throws DetentError `INVALID_JOB`, `INVALID_CRON`, `UNKNOWN_TIME_ZONE`, `INVALID_SCHEDULE`, `INVALID_SESSION`.
 */
export function readJob(
  input: unknown,
  defaults: DefinitionDefaults,
): { jobId: string; enabled: boolean; definition: JobDefinition } {
  const { jobId, enabled = true, ...fields } = checkJob(input);
  const schedule = readSchedule(fields, defaults);
  const definition = { ...usual, schedule, ...settingsOf(fields), ...workOf(fields, null) };
  return { jobId, enabled, definition: checkedWork(definition) };
}

/** Checks the form of a job; {@link readJob} also checks what it says. @throws DetentError `INVALID_JOB`. */
export function checkJob(input: unknown): JobInput {
  const job = checked(jobInput, input, 'a job') as JobInput;
  checkJobId(job.jobId);
  return job;
}

/** Checks the form of a change; {@link changedJob} also checks what it says. @throws DetentError `INVALID_JOB`. */
export function checkChange(input: unknown): JobChange {
  return checked(jobChange, input, 'a change of a job') as JobChange;
}

/** A job with changes. @throws as {@link readJob}. */
export function changedJob(old: JobDefinition, input: unknown, defaults: DefinitionDefaults): JobDefinition {
  const change = checkChange(input);
  const { cron, every, at, dialect, timeZone } = change;
  const isOther = cron !== undefined || every !== undefined || at !== undefined;
  const isCron = old.schedule.kind === 'cron' && (dialect !== undefined || timeZone !== undefined);
  const whole = isOther || !isCron ? change : { ...written(old), ...given({ dialect, timeZone }) };
  if (!isOther && !isCron && (dialect !== undefined || timeZone !== undefined))
    throw invalidJob('"dialect" and "timeZone" belong to "cron", and this job has none', 'timeZone');
  const schedule = isOther || isCron ? readSchedule(whole, defaults) : old.schedule;
  const { bounds, prompt: _, workflow: _flow, input: _input, ...rest } = old;
  // A job whose prompt or workflow a person changes becomes that person's job.
  const isOtherWork = change.prompt !== undefined || change.workflow !== undefined;
  const whose = isOtherWork ? {} : { ...(bounds && { bounds }) };
  return checkedWork({ ...rest, schedule, ...settingsOf(change), ...workOf(change, old), ...whose });
}

type Work = Pick<JobDefinition, 'prompt' | 'workflow' | 'input'>;

/** What the job does: a prompt, or a workflow. @throws DetentError `INVALID_JOB`. */
function workOf({ prompt, workflow, input }: JobChange, old: Work | null): Work {
  if (prompt !== undefined && workflow !== undefined)
    throw invalidJob('a job has a "prompt" for an agent or a "workflow", not both', 'workflow');
  const id = prompt === undefined ? (workflow ?? old?.workflow) : undefined;
  if (id === undefined) {
    if (input !== undefined)
      throw invalidJob('"input" is that of a "workflow", and this job names none', 'input');
    const said = prompt ?? old?.prompt ?? '';
    if (said === '') throw invalidJob('a job has a "prompt" for an agent, or a "workflow"', 'prompt');
    return { prompt: said };
  }
  const given = input === undefined && id === old?.workflow ? old.input : input;
  if (JSON.stringify(given ?? null).includes('{{last}}'))
    throw invalidJob('the input of a workflow may have {{slot}}, but no {{last}}', 'input');
  return { prompt: '', workflow: id, ...(given !== undefined && { input: given as Work['input'] }) };
}

/** Refuses what has no meaning for a workflow. @throws DetentError `INVALID_JOB`. */
function checkedWork(definition: JobDefinition): JobDefinition {
  if (definition.workflow === undefined) return definition;
  const { limits } = definition;
  const named = promptFields.find((field) => (definition[field] ?? null) !== null);
  if (named !== undefined)
    throw invalidJob(`"${named}" belongs to a "prompt": the chart of a workflow names its agents`, named);
  const other = Object.keys(limits ?? {}).find((name) => !flowLimits.includes(name));
  if (other !== undefined)
    throw invalidJob(
      `"${other}" is not a limit of a workflow, which has ${flowLimits.map((name) => `"${name}"`).join(' and ')}: its services have their own`,
      'limits',
    );
  return definition;
}

/** The cron fields of a schedule, as they are written. */
function written({ schedule }: JobDefinition): Pick<JobChange, 'cron' | 'dialect' | 'timeZone'> {
  if (schedule.kind !== 'cron') return {};
  return { cron: schedule.expression, dialect: schedule.dialect, timeZone: schedule.timeZone };
}

/** Checks when a job is due. @throws as {@link readJob}. */
export function readSchedule(
  { cron, every, at, dialect, timeZone }: ScheduleFields,
  defaults: DefinitionDefaults,
): JobDefinition['schedule'] {
  const named = dialect === undefined ? undefined : oneOf(dialect, cronDialects, 'dialect', 'INVALID_JOB');
  return parseSchedule(
    { cron, every, at, dialect: named, timeZone },
    { timeZone: defaults.timeZone, anchorMs: defaults.now },
  );
}

function settingsOf(fields: JobChange): Partial<JobDefinition> {
  const { agent, model, session, skill, delivery, misfire, grace, window, overlap, jitter } = fields;
  const { pauseAfter, alertAfter, alert, keep, attempts, limits, budget } = fields;
  return given({
    agent,
    model,
    session,
    skill,
    deliver: delivery === undefined ? undefined : targetsOf(delivery),
    misfire: misfire === undefined ? undefined : misfirePolicyOf(misfire),
    graceMs: spanMs('grace', grace),
    windowMs: window === null ? null : spanMs('window', window),
    overlap: overlap === undefined ? undefined : oneOf(overlap, overlapPolicies, 'overlap', 'INVALID_JOB'),
    jitterMs: spanMs('jitter', jitter),
    pauseAfter,
    alert: alert === undefined ? undefined : targetsOf(alert),
    alertAfter: alertAfter === undefined && alert !== undefined ? usualAlertAfter : alertAfter,
    keep,
    attempts,
    limits: limits as JobDefinition['limits'] | undefined,
    budget,
  });
}

function targetsOf(written: NonNullable<JobInput['delivery']>): JobTarget[] {
  return [written].flat().map(targetOf);
}

/** A target as people write it. @throws DetentError `INVALID_JOB`. */
function targetOf(target: string | JobTarget): JobTarget {
  if (typeof target !== 'string') return checkTarget(target);
  const [, kind = '', rest = ''] = /^([a-z]+):(.+)$/s.exec(target) ?? [];
  if (target === 'console') return { kind: 'console' };
  if (kind === 'file') return checkTarget({ kind: 'file', path: rest });
  if (kind === 'session') return checkTarget({ kind: 'session', session: rest });
  if (kind === 'https' || kind === 'http') return checkTarget({ kind: 'webhook', url: target });
  if (kind === 'webhook') return checkTarget({ kind: 'webhook', url: rest });
  throw invalidJob(
    `a delivery is "console", "file:PATH", "session:NAME" or the address of a webhook (https://…), not ${shown(target)}`,
    'delivery',
  );
}

function checkTarget(target: JobTarget): JobTarget {
  if (target.kind === 'webhook') checkUrl(target.url);
  if (target.kind === 'session') checkSessionKey(target.session);
  if (target.kind === 'file' && !isRelative(target.path))
    throw invalidJob(
      `a delivery to a file names it relative to the workspace, without "..", not ${shown(target.path)}`,
      'delivery',
    );
  return target;
}

/** Links are resolved and checked when the file is written. */
function isRelative(path: string): boolean {
  return (
    !/^[/\\~]|^[A-Za-z]:|\p{Cc}/u.test(path) && !path.split(/[/\\]/).includes('..') && !path.endsWith('/')
  );
}

function checkUrl(text: string): void {
  const url = URL.parse(text);
  if (url && (url.protocol === 'https:' || url.protocol === 'http:') && url.username === '') return;
  throw invalidJob(
    `a webhook has an address that begins with https://, without a password; not ${shown(text)}`,
    'delivery',
  );
}

/** @throws DetentError `INVALID_JOB`. */
function checkJobId(id: unknown): string {
  // In a URL, "." and ".." would lead to another address.
  const isPlace = id === '.' || id === '..';
  if (typeof id === 'string' && /^[^\p{Cc}\p{Cs}]{1,150}$/u.test(id) && id.trim() === id && !isPlace)
    return id;
  throw invalidJob(
    'a job id is 1 to 150 characters, without control characters and without spaces at its ends, and not "." or ".."',
    'jobId',
  );
}

function spanMs(field: string, span: string | number | undefined | null): number | undefined {
  if (span === undefined || span === null) return undefined;
  const ms = typeof span === 'number' ? span : writtenMs(span);
  if (Number.isSafeInteger(ms) && ms >= 0 && ms <= 3_650 * day) return ms;
  throw invalidJob(
    `"${field}" is a time like "90s", "15m" or "24h", or milliseconds; not ${shown(span)}`,
    field,
  );
}

/** Without the fields that are not given. */
function given<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

interface Schema {
  safeParse(value: unknown): {
    success: boolean;
    data?: unknown;
    error?: { issues: readonly { path: readonly PropertyKey[]; message: string }[] };
  };
}

function checked(schema: Schema, value: unknown, what: string): unknown {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  const problems = (error?.issues ?? []).map(({ path, message }) => {
    const place = path.join('.');
    return place === '' ? message : `${place}: ${message}`;
  });
  const [field] = error?.issues[0]?.path ?? [];
  throw invalidJob(
    `${what} is not valid: ${problems.join('; ')}`,
    typeof field === 'string' ? field : undefined,
  );
}

/** @param field which one of the job is wrong, for a form that shows it there. */
export function invalidJob(message: string, field?: string): DetentError {
  return new DetentError('INVALID_JOB', message, field === undefined ? {} : { details: { field } });
}
