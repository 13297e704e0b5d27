import type { JobView } from '#src/protocol/views.ts';
import { writtenSpan } from '../time-words.ts';
import { type TargetForm, targetForm } from './target-form.ts';
import { localMoment } from './written.ts';

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
  model: string;
  /** Empty: each run has its own. */
  session: string;
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
    model: '',
    session: '',
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
    model: text(job.model),
    session: text(job.sessionId),
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
