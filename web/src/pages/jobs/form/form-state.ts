import type { ClientError } from '#src/client/index.ts';
import type { JobChange, JobInput } from '#src/protocol/job-input.ts';
import type { JobView } from '#src/protocol/job-view.ts';
import { parseJson } from '#src/protocol/json.ts';
import { writtenSpan } from '../time-words.ts';

/** A delivery as the form has it: `value` is the path, the session or the address. */
export interface TargetForm {
  kind: 'console' | 'file' | 'session' | 'webhook';
  value: string;
  secretEnv: string;
}

export const limitNames = ['maxSteps', 'maxTokens', 'maxCostUsd'] as const;
/** What the services of a workflow may spend together: it has no limits of its own. */
export const flowLimitNames = ['maxTokens', 'maxCostUsd'] as const;

/** What the form shows, as text. */
export interface JobFormState {
  jobId: string;
  kind: 'cron' | 'every' | 'at';
  cron: string;
  /** Empty: by the signs of the expression. */
  dialect: '' | 'unix' | 'quartz' | 'robfig';
  timeZone: string;
  every: string;
  /** As `<input type=datetime-local>` has it, on the reader's clock. */
  at: string;
  /** What it starts. What was written for the other one is kept while the form is open. */
  work: 'prompt' | 'workflow';
  /** The id of a workflow. */
  workflow: string;
  /** Its input, as JSON; empty: null. */
  input: string;
  prompt: string;
  agent: string;
  skill: string;
  deliver: TargetForm[];
  misfire: JobView['misfire'];
  overlap: JobView['overlap'];
  grace: string;
  window: string;
  jitter: string;
  pauseAfter: string;
  alert: TargetForm[];
  alertAfter: string;
  keep: string;
  attempts: string;
  maxSteps: string;
  maxTokens: string;
  maxCostUsd: string;
  timeout: string;
  /** Limits that the form has no field for. */
  otherLimits: Record<string, unknown>;
  budget: string;
}

export type FormField = keyof JobFormState;

/** A form for a new job, with what Detent would take for what is left out. */
export function emptyForm(timeZone: string): JobFormState {
  return {
    jobId: '',
    kind: 'cron',
    cron: '0 9 * * *',
    dialect: '',
    timeZone,
    every: '1h',
    at: '',
    work: 'prompt',
    workflow: '',
    input: '',
    prompt: '',
    agent: '',
    skill: '',
    deliver: [],
    misfire: 'once',
    overlap: 'skip',
    grace: '1m',
    window: '1d',
    jitter: '0s',
    pauseAfter: '10',
    alert: [],
    alertAfter: '',
    keep: '100',
    attempts: '8',
    maxSteps: '',
    maxTokens: '',
    maxCostUsd: '',
    timeout: '',
    otherLimits: {},
    budget: '',
  };
}

/** The form of a job that there is. */
export function formOf(job: JobView, timeZone: string): JobFormState {
  const { schedule, limits } = job;
  const { maxSteps, maxTokens, maxCostUsd, timeoutMs, ...otherLimits } = limits ?? {};
  const text = (value: unknown) => (value === null || value === undefined ? '' : String(value));
  return {
    ...emptyForm(timeZone),
    jobId: job.jobId,
    kind: schedule.kind,
    ...(schedule.kind === 'cron' && {
      cron: schedule.expression,
      dialect: schedule.dialect,
      timeZone: schedule.timeZone,
    }),
    ...(schedule.kind === 'every' && { every: writtenSpan(schedule.everyMs) }),
    ...(schedule.kind === 'at' && { at: localMoment(schedule.atMs) }),
    work: job.workflow === undefined ? 'prompt' : 'workflow',
    workflow: text(job.workflow),
    input: job.input === undefined ? '' : JSON.stringify(job.input, null, 2),
    prompt: job.prompt,
    agent: text(job.agent),
    skill: text(job.skill),
    deliver: job.deliver.map(targetForm),
    misfire: job.misfire,
    overlap: job.overlap,
    grace: writtenSpan(job.graceMs),
    window: job.windowMs === null ? '' : writtenSpan(job.windowMs),
    jitter: writtenSpan(job.jitterMs),
    pauseAfter: text(job.pauseAfter),
    alert: job.alert.map(targetForm),
    alertAfter: text(job.alertAfter),
    keep: text(job.keep),
    attempts: text(job.attempts),
    maxSteps: text(maxSteps),
    maxTokens: text(maxTokens),
    maxCostUsd: text(maxCostUsd),
    timeout: typeof timeoutMs === 'number' ? writtenSpan(timeoutMs) : '',
    otherLimits,
    budget: text(job.budget),
  };
}

/** When the form's job is due, for the gateway; null while nothing is written. */
export function scheduleOf(
  form: JobFormState,
): Pick<JobInput, 'cron' | 'dialect' | 'timeZone' | 'every' | 'at'> | null {
  if (form.kind === 'every') return form.every.trim() === '' ? null : { every: spanOf(form.every) };
  if (form.kind === 'at') return form.at === '' ? null : { at: momentOf(form.at) };
  if (form.cron.trim() === '') return null;
  const { cron, dialect, timeZone } = form;
  return {
    cron,
    ...(dialect !== '' && { dialect }),
    ...(timeZone.trim() !== '' && { timeZone: timeZone.trim() }),
  };
}

/** A number; what is none goes to the gateway as it is, which says so: `null` would mean that there is no bound. */
function numberOf(text: string): number | null {
  if (text.trim() === '') return null;
  const number = Number(text);
  return Number.isNaN(number) ? (text as never) : number;
}

/** Every field of the form but its name and its time. */
function settingsOf(form: JobFormState): JobChange {
  const word = (text: string) => (text.trim() === '' ? null : text.trim());
  return {
    ...(form.work === 'workflow'
      ? { workflow: form.workflow, input: jsonOf(form.input), agent: null, skill: null }
      : { prompt: form.prompt, agent: word(form.agent), skill: word(form.skill) }),
    delivery: form.deliver.map(targetOf),
    misfire: form.misfire,
    overlap: form.overlap,
    grace: spanOf(form.grace),
    window: form.window.trim() === '' ? null : spanOf(form.window),
    jitter: spanOf(form.jitter),
    pauseAfter: numberOf(form.pauseAfter),
    alert: form.alert.map(targetOf),
    alertAfter: numberOf(form.alertAfter),
    keep: numberOf(form.keep) ?? undefined,
    attempts: numberOf(form.attempts) ?? undefined,
    limits: limitsOf(form),
    budget: word(form.budget),
  };
}

/** The JSON that was written; nothing is null; undefined for a text that is none. */
export function jsonOf(text: string): unknown {
  return text.trim() === '' ? null : parseJson(text);
}

function limitsOf(form: JobFormState): JobChange['limits'] {
  const isFlow = form.work === 'workflow';
  const written = (isFlow ? flowLimitNames : limitNames)
    .filter((name) => form[name].trim() !== '')
    .map((name) => [name, numberOf(form[name])]);
  const timeout = form.timeout.trim() === '' ? {} : { timeoutMs: msOf(form.timeout) };
  const own = isFlow ? {} : { ...form.otherLimits, ...timeout };
  const limits = { ...own, ...Object.fromEntries(written) };
  return Object.keys(limits).length === 0 ? null : limits;
}

/** What the gateway is sent: the fields that differ from those that the form began with, so that what Detent decides stays its own. */
export function changeOf(form: JobFormState, begun: JobFormState): JobChange {
  const [now, before] = [settingsOf(form), settingsOf(begun)];
  const isOther = (key: string) =>
    JSON.stringify(now[key as keyof JobChange]) !== JSON.stringify(before[key as keyof JobChange]);
  const changed = Object.fromEntries(
    Object.entries(now).filter(([key, value]) => value !== undefined && isOther(key)),
  );
  // The input of another workflow is not its own, although it reads the same.
  const input = 'workflow' in changed ? { input: now.input } : {};
  const schedule = scheduleOf(form);
  const isOtherTime = JSON.stringify(schedule) !== JSON.stringify(scheduleOf(begun));
  return { ...changed, ...input, ...(isOtherTime && schedule) };
}

/** A new job. */
export function inputOf(form: JobFormState): JobInput {
  const { prompt: _, ...settings } = changeOf(form, { ...emptyForm(form.timeZone), cron: '', every: '' });
  const asked = form.work === 'prompt' ? { prompt: form.prompt } : {};
  return { jobId: form.jobId.trim(), ...scheduleOf(form), ...settings, ...asked };
}

/** Which field of the form an error of the gateway is about; null for none of them. */
export function fieldOf({ code, details }: Pick<ClientError, 'code' | 'details'>): FormField | null {
  // Its problems are within the input.
  if (code === 'INVALID_INPUT') return 'input';
  const problems = details.problems as { field?: string }[] | undefined;
  const named = typeof details.field === 'string' ? details.field : problems?.[0]?.field;
  if (named !== undefined) return byName(named);
  return byCode[code] ?? null;
}

const byCode: Readonly<Record<string, FormField>> = {
  INVALID_CRON: 'cron',
  UNKNOWN_TIME_ZONE: 'timeZone',
  JOB_EXISTS: 'jobId',
  UNKNOWN_AGENT: 'agent',
  UNKNOWN_WORKFLOW: 'workflow',
  UNKNOWN_SKILL: 'skill',
  UNKNOWN_BUDGET: 'budget',
  INVALID_SESSION: 'deliver',
  SESSION_OF_ANOTHER_USER: 'deliver',
};

function byName(path: string): FormField | null {
  const [name = '', inner = ''] = path.split('.');
  if (name === 'delivery') return 'deliver';
  const field = name === 'limits' ? (inner === 'timeoutMs' ? 'timeout' : inner) : name;
  return field in emptyForm('') ? (field as FormField) : null;
}

function targetForm(target: JobView['deliver'][number]): TargetForm {
  switch (target.kind) {
    case 'console':
      return { kind: 'console', value: '', secretEnv: '' };
    case 'file':
      return { kind: 'file', value: target.path, secretEnv: '' };
    case 'session':
      return { kind: 'session', value: target.session, secretEnv: '' };
    case 'webhook':
      return { kind: 'webhook', value: target.url, secretEnv: target.secretEnv ?? '' };
  }
}

function targetOf({ kind, value, secretEnv }: TargetForm) {
  switch (kind) {
    case 'console':
      return { kind } as const;
    case 'file':
      return { kind, path: value } as const;
    case 'session':
      return { kind, session: value } as const;
    case 'webhook':
      return { kind, url: value, ...(secretEnv.trim() !== '' && { secretEnv: secretEnv.trim() }) } as const;
  }
}

/** `90` are milliseconds, as the gateway reads a number; every other text is its own affair. */
function spanOf(text: string): string | number {
  const trimmed = text.trim();
  return /^\d+$/.test(trimmed) ? Number(trimmed) : trimmed;
}

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of a time such as `1h30m`; a text that is none goes to the gateway as it is, which says so. */
function msOf(text: string): number | string {
  const trimmed = text.trim();
  if (/^\d+$/.test(trimmed)) return Number(trimmed);
  if (!/^(?:\d+[smhd])+$/.test(trimmed)) return trimmed;
  let ms = 0;
  for (const [, n, unit = 's'] of trimmed.matchAll(/(\d+)([smhd])/g)) ms += Number(n) * (unitMs[unit] ?? 0);
  return ms;
}

function momentOf(local: string): number | string {
  const ms = new Date(local).getTime();
  return Number.isNaN(ms) ? local : ms;
}

/** A moment as `<input type=datetime-local>` has it. */
export function localMoment(ms: number): string {
  const offset = new Date(ms).getTimezoneOffset() * 60_000;
  return new Date(ms - offset).toISOString().slice(0, new Date(ms).getSeconds() === 0 ? 16 : 19);
}
