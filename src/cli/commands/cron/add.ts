import { livingDrivers } from '../../../cluster/living-drivers.ts';
import { messageOf } from '../../../protocol/error.ts';
import { isObject } from '../../../protocol/json.ts';
import type { JobChange, JobInput } from '../../../protocol/methods.ts';
import type { JobView } from '../../../protocol/views.ts';
import { checkChange, checkJob } from '../../../schedule/scheduler.ts';
import { readWholeSync } from '../../../text/files.ts';
import type { Ask } from '../../port/port.ts';
import {
  duration,
  type Flags,
  money,
  parsedFlag,
  text,
  texts,
  usage,
  wholeNumber,
} from '../../settings/flags.ts';
import { type CliOptions, loadOptions } from '../../settings/load-options.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { shellWord } from '../../terminal/shell-word.ts';
import { promptOnStdin } from '../run/read-stdin.ts';
import { jobScope, jobWord, withJobs } from './with-scheduler.ts';
import { anotherTime, clockTime, until } from './words.ts';

/** `detent cron add JOB`. */
export async function addJob(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const scope = jobScope(flags);
  const input = await newJob(words[0], flags, io);
  const options = await loadOptions(ofJobs(flags), io);
  // Before it is sent, so that a mistake has the same words from a gateway.
  const asked = checkJob(input);
  const job = await withJobs(options, scope, async (ask) => {
    const made = await ask('cron.add', asked);
    return mayBeTaken(made, options) ? takenIn(ask, made) : made;
  });
  if (flags.json) io.json(job);
  else announce(job, 'added', io);
  sayIfUnsigned(job, options, io);
  return exit.ok;
}

/** `detent cron update JOB`. */
export async function updateJob(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const id = jobWord(words);
  const scope = jobScope(flags);
  const change = await changedFields(id, flags, io);
  const options = await loadOptions(ofJobs(flags), io);
  const job = await withJobs(options, scope, async (ask) => {
    await ask('cron.get', { jobId: id });
    const asked = checkChange(change);
    const changed = Object.keys(asked).length > 0 && (await ask('cron.update', { jobId: id, ...asked }));
    return changed && flags.disabled !== true ? changed : ask('cron.disable', { jobId: id });
  });
  if (flags.json) io.json(job);
  else announce(job, 'changed', io);
  sayIfUnsigned(job, options, io);
  return exit.ok;
}

/** `--model` is a field of the job here: it gives this process no model that the one that runs the schedule lacks. */
function ofJobs({ model: _, ...flags }: Flags): Flags {
  return flags;
}

/** What became of the job, and when it runs next. */
export function announce(job: JobView, what: string, io: Io, now = Date.now()): void {
  const [next] = job.next;
  io.out(`${job.jobId}: ${what}: ${job.words}\n`);
  if (job.state === 'paused' || job.state === 'disabled')
    io.say(
      `it is ${job.state}; start it with: detent cron ${job.state === 'paused' ? 'resume' : 'enable'} ${shellWord(job.jobId)}`,
    );
  else if (job.state === 'finished' || (job.state === 'scheduled' && next === undefined))
    io.say(`it has no further time; ${anotherTime(job)}`);
  else if (next !== undefined) io.say(`next: ${clockTime(next, job)}, ${until(next, now)}`);
  if (job.state === 'scheduled' && next !== undefined) sayIfUnattended(job, io);
}

/** A job that no process will run says so. */
export function sayIfUnattended({ isAttended }: JobView, io: Io): void {
  if (!isAttended)
    io.say(
      'no process runs the schedule: jobs run only while "detent serve" or "detent cron serve" is running',
    );
}

/** The process that runs the schedule may have other variables than this one, so a missing one is no error. */
function sayIfUnsigned({ deliver, alert }: JobView, { server, env }: CliOptions, io: Io): void {
  if (server !== undefined) return;
  const named = [...deliver, ...alert].flatMap((target) =>
    target.kind === 'webhook' && target.secretEnv !== undefined ? [target.secretEnv] : [],
  );
  for (const name of new Set(named))
    if (!env?.[name]) io.say(`${name} is not set here; the process that runs the schedule needs it`);
}

/** A process that runs the schedule takes a new job within this time; another process at work in the database may not run it. */
const [takenWithinMs, lookEveryMs] = [1_000, 50];

function mayBeTaken({ isAttended }: JobView, { server, database }: CliOptions): boolean {
  if (isAttended || server !== undefined) return false;
  return database.url !== undefined || livingDrivers(database.file).some(({ pid }) => pid !== process.pid);
}

/**
 * The job once a process that runs the schedule has taken it, or as it is if none does. What other jobs say of the schedule is
 * known at once.
 */
export async function takenIn(ask: Ask, made: JobView): Promise<JobView> {
  const { jobs } = await ask('cron.list', { limit: 10 });
  const others = jobs.filter(({ jobId }) => jobId !== made.jobId);
  if (others.length > 0) return { ...made, isAttended: others.some(({ isAttended }) => isAttended) };
  let job = made;
  for (let waited = 0; !job.isAttended && waited < takenWithinMs; waited += lookEveryMs) {
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
    job = await ask('cron.get', { jobId: made.jobId });
  }
  return job;
}

const maxPromptBytes = 400_000;
/** Options whose words are those of the job object, and its fields. */
const wordFields = {
  cron: 'cron',
  every: 'every',
  at: 'at',
  dialect: 'dialect',
  tz: 'timeZone',
  agent: 'agent',
  model: 'model',
  session: 'session',
  skill: 'skill',
  workflow: 'workflow',
  misfire: 'misfire',
  grace: 'grace',
  window: 'window',
  overlap: 'overlap',
  jitter: 'jitter',
  budget: 'budget',
} as const;

/** A new job, from the command line and the file that it names. @throws DetentError `USAGE`, `INVALID_JOB`. */
async function newJob(id: string | undefined, flags: Flags, io: Io): Promise<JobInput> {
  const file = fileOf(flags, io);
  const change = changeOf(flags);
  const named = id ?? file?.jobId;
  if (named === undefined) throw usage('JOB is missing: a name for the job, such as daily-summary');
  if (id !== undefined && file?.jobId !== undefined && file.jobId !== id)
    throw usage(`the file is of job "${String(file.jobId)}", not "${id}"; leave the name out`);
  const job = merged(file, change);
  const isWorkflow = job.workflow !== undefined;
  const prompt = change.prompt ?? file?.prompt ?? (isWorkflow ? undefined : await promptOf(flags, io));
  return {
    ...job,
    jobId: named,
    ...(prompt !== undefined && { prompt }),
    ...(flags.disabled === true && { enabled: false }),
  } as JobInput;
}

/** What `cron update` changes. @throws DetentError `USAGE`. */
async function changedFields(id: string, flags: Flags, io: Io): Promise<JobChange> {
  const file = fileOf(flags, io);
  if (file?.jobId !== undefined && file.jobId !== id)
    throw usage(`the file is of job "${String(file.jobId)}", not "${id}"`);
  const { jobId: _, enabled, ...fields } = file ?? {};
  if (enabled !== undefined)
    throw usage('"enabled" is not a change: type "detent cron enable" or "detent cron disable"');
  const change = merged(fields, changeOf(flags));
  if (Object.keys(change).length === 0 && flags.disabled !== true)
    throw usage('nothing to change: give a field, such as --cron or --prompt');
  return change as JobChange;
}

/** The file's fields with those of the command line in their place; a schedule replaces a schedule. */
function merged(
  file: Record<string, unknown> | null,
  change: Record<string, unknown>,
): Record<string, unknown> {
  const isOther = ['cron', 'every', 'at'].some((kind) => kind in change);
  const { cron, every, at, ...others } = file ?? {};
  return { ...(isOther ? others : file), ...change };
}

function changeOf(flags: Flags): Record<string, unknown> & { prompt?: string } {
  const words = Object.entries(wordFields).flatMap(([flag, field]) => {
    const value = text(flags, flag);
    return value === undefined ? [] : [[field, value] as const];
  });
  const prompt = text(flags, 'prompt');
  const limits = limitsOf(flags);
  return {
    ...Object.fromEntries(words),
    ...(text(flags, 'window') === 'any' && { window: null }),
    ...(text(flags, 'session') === 'own' && { session: null }),
    ...(prompt !== undefined && { prompt }),
    ...inputOf(flags),
    ...targetsOf(flags),
    ...counted(flags, 'pause-after', 'pauseAfter'),
    ...counted(flags, 'alert-after', 'alertAfter'),
    ...whole(flags, 'keep', 'keep'),
    ...whole(flags, 'attempts', 'attempts'),
    ...(Object.keys(limits).length > 0 && { limits }),
  };
}

/** The input of a workflow. */
function inputOf(flags: Flags): { input?: unknown } {
  const json = text(flags, 'input');
  return json === undefined ? {} : { input: parsedFlag('--input', json) };
}

/** A number of failures, or `never`. */
function counted(flags: Flags, name: string, field: string): Record<string, number | null> {
  return text(flags, name) === 'never' ? { [field]: null } : whole(flags, name, field);
}

function whole(flags: Flags, name: string, field: string): Record<string, number> {
  const value = wholeNumber(flags, name, 1);
  return value === undefined ? {} : { [field]: value };
}

function limitsOf(flags: Flags): Record<string, number> {
  const timeoutMs = duration(flags, 'timeout');
  const maxCostUsd = money(flags, 'max-cost');
  return {
    ...whole(flags, 'max-steps', 'maxSteps'),
    ...whole(flags, 'max-tokens', 'maxTokens'),
    ...(maxCostUsd !== undefined && { maxCostUsd }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  };
}

function targetsOf(flags: Flags): Record<string, unknown> {
  const [delivery, alert] = [texts(flags, 'deliver'), texts(flags, 'alert')];
  const secretEnv = text(flags, 'secret-env');
  const isWebhook = (target: string) => /^https?:/.test(target);
  if (secretEnv !== undefined && ![...delivery, ...alert].some(isWebhook))
    throw usage('--secret-env signs what goes to a webhook: name one with --deliver https://…');
  const signed = (target: string) =>
    secretEnv !== undefined && isWebhook(target) ? { kind: 'webhook', url: target, secretEnv } : target;
  return {
    ...(delivery.length > 0 && { delivery: delivery.map(signed) }),
    ...(alert.length > 0 && { alert: alert.map(signed) }),
  };
}

/** The job object that --file names. */
function fileOf(flags: Flags, io: Io): Record<string, unknown> | null {
  const name = text(flags, 'file');
  if (name === undefined) return null;
  const parsed = parsedFlag(name, readFile(name, io));
  if (isObject(parsed)) return parsed;
  throw usage(
    `${name} has no job: a JSON object such as {"jobId": "daily", "cron": "0 9 * * *", "prompt": "…"}`,
  );
}

function readFile(name: string, io: Io): string {
  try {
    return readWholeSync(io.path(name), { waitsForPipe: true }).toString();
  } catch (error) {
    throw usage(`--file ${name} cannot be read: ${messageOf(error)}`);
  }
}

/** The prompt on stdin, where the command line has none. */
async function promptOf(flags: Flags, io: Io): Promise<string> {
  const prompt = io.hasData ? (await promptOnStdin(maxPromptBytes, io)).trim() : '';
  if (prompt !== '') return prompt;
  const name = text(flags, 'skill');
  throw usage(
    name === undefined
      ? 'what should the job do? Say it with --prompt "…"'
      : `what should the skill "${name}" do? Say it with --prompt "…"`,
  );
}
