import type { EventOf } from '../../../machines/job.rules.ts';
import type { JobContext, JobDefinition, JobFailure } from '../../../machines/job.types.ts';
import type { EventBus } from '../../engine/bus.ts';
import { pathOf } from '../../engine/decide.ts';
import type { Engine } from '../../engine/engine.ts';
import type { EngineEvent, Fact } from '../../engine/machine-host.ts';
import type { RunSignal } from '../../engine/run-signal.ts';
import { DetentError } from '../../protocol/error.ts';
import { isObject, type JsonValue } from '../../protocol/json.ts';
import type { RunView } from '../../protocol/run-view.ts';
import { isWorkflowView } from '../../protocol/workflow-view.ts';
import { fireRunId } from '../../records/job-run.ts';
import type { StoredTaint } from '../../records/messages.ts';
import type { RunRow } from '../../store/rows.ts';
import type { Limiter } from '../../text/limiter.ts';
import type { Runs } from '../runs.ts';
import { taintOfRun } from '../taint-of-run.ts';
import type { RunWords } from '../words/run-words.ts';
import { wordsOf } from '../words/words-of.ts';
import { alertNow } from './alert-now.ts';
import type { JobEffect } from './job-effect.ts';
import type { JobWork, StartFire } from './job-work.ts';
import { ask, type Store } from './statements.ts';

type Ended = Pick<EventOf<'fire.ended'>, 'runId' | 'status' | 'error'>;

interface FireOptions {
  store: Store;
  bus: EventBus;
  engine: Pick<Engine, 'adopt'>;
  runs: Pick<Runs, 'view' | 'cancel' | 'settled'>;
  start: StartFire;
  deliver: JobWork['deliver'];
  room: Limiter;
  tell?: JobWork['tell'];
}

/** The key of the {@link Limiter} that bounds how many runs of jobs are at work in this process. */
export const roomKey = 'run';

/** How long a slot that is to be cancelled may take until its run exists. */
const [lookEveryMs, looks] = [50, 200];

interface Result {
  text: string;
  tainted: readonly StoredTaint[];
}

const nothing: Result = { text: '(no result yet)', tainted: [] };

/**
 * Starts the run of a slot, or finds the one that an earlier attempt has started, and waits for its end, however long that
 * takes. A process that takes the job over waits for the same run.
 */
export async function fire(options: FireOptions, job: JobEffect): Promise<Fact> {
  const fact = await fireAndWait(options, job);
  const { runId, status, error } = fact.event as EngineEvent & Ended;
  const { tenant } = job.run;
  if (status === 'failed') await tellPaused(options, job, runId, error);
  options.tell?.({
    tenant,
    jobId: job.options.jobId,
    type: 'ended',
    n: Number(job.params.n),
    runId,
    status,
    error,
  });
  return fact;
}

/** Failures that pause the job without being as many as `alertAfter` would be told to nobody. */
async function tellPaused(
  options: FireOptions,
  job: JobEffect,
  runId: string | null,
  error: JobFailure | null,
): Promise<void> {
  const { definition, halt } = job.context;
  const failures = job.context.failures + 1;
  const isPaused = halt === null && definition.pauseAfter !== null && failures >= definition.pauseAfter;
  if (!isPaused || failures === definition.alertAfter) return;
  await alertNow(options, job, { status: 'paused', runId, text: '', error, failures, at: Date.now() });
}

async function fireAndWait(options: FireOptions, job: JobEffect): Promise<Fact> {
  const { store, room } = options;
  const runId = fireRunId(job.options.key, Number(job.params.n));
  const found = await store.query('loadRun', { tenant: job.run.tenant, id: runId });
  if (!found && room.isFull(roomKey)) await uncount(options, job);
  // A run that exists is at work already, whether there is room or not.
  const leave = found ? () => {} : await room.acquire(roomKey, job.signal);
  try {
    if (!found && (await isStopping(options, job))) return ended(job, null, 'cancelled', null);
    return await begin(options, job, { runId, found, leave });
  } finally {
    leave();
  }
}

interface Begun {
  runId: string;
  found: RunRow | undefined;
  /** Makes room for another run. */
  leave(): void;
}

async function begin(options: FireOptions, job: JobEffect, { runId, found, leave }: Begun): Promise<Fact> {
  const { tenant } = job.run;
  const n = Number(job.params.n);
  try {
    if (found) await rejoin(options, job, found);
    else await start(options, job, runId);
  } catch (error) {
    if (!DetentError.is(error)) throw error;
    return ended(job, null, 'failed', { code: error.code, message: error.message });
  }
  options.tell?.({
    tenant,
    jobId: job.options.jobId,
    type: 'began',
    n,
    slot: Number(job.params.slot),
    runId,
  });
  await job.note({ event: { type: 'fire.started', n, runId } });
  const tellWaiting = watchForWait(options, job, runId);
  const row = await end(options, job, runId, leave, tellWaiting);
  if (row === null)
    return ended(job, runId, 'cancelled', { code: 'RUN_DELETED', message: `run ${runId} was deleted` });
  return resultOf(job, await options.runs.view(tenant, runId));
}

/** Tells the job's alert targets, once, that the run or one below it waits for a person. Call it whenever it may do so. */
function watchForWait(options: FireOptions, job: JobEffect, runId: string): () => void {
  const { tenant } = job.run;
  let isDone = job.context.definition.alert.length === 0;
  let isLooking = false;
  const look = async () => {
    const view = await options.runs.settled(tenant, runId);
    const asks = view.pending.map(({ callId, name }) => `${callId} ${name}`);
    const below = view.waitsFor === undefined ? [] : [`its run ${view.waitsFor}`];
    if (view.status !== 'waiting' || asks.length + below.length === 0 || isDone) return;
    isDone = true;
    const text = `run ${runId} waits for a person: ${[...asks, ...below].join(', ')}; see it with "detent runs show ${runId}"`;
    await alertNow(options, job, {
      status: 'waiting',
      runId,
      text,
      error: null,
      failures: 0,
      at: Date.now(),
    });
  };
  return () => {
    if (isDone || isLooking || job.signal.aborted) return;
    isLooking = true;
    // The end of the run says what is wrong with it.
    void look()
      .catch(() => {})
      .finally(() => {
        isLooking = false;
      });
  };
}

/** Whether the slot was cancelled while it waited for room. */
async function isStopping({ store }: FireOptions, { run, params }: JobEffect): Promise<boolean> {
  const row = await store.query('loadRun', { tenant: run.tenant, id: run.id });
  const firing = row && (JSON.parse(row.context) as JobContext).firing;
  return firing?.n === Number(params.n) && firing.stopping;
}

/** Cancels the run of a slot, also one that is about to begin. */
export async function stop({ store, runs }: FireOptions, job: JobEffect): Promise<Fact> {
  const { tenant } = job.run;
  const runId = fireRunId(job.options.key, Number(job.params.n));
  for (let i = 0; i < looks && !job.signal.aborted; i++) {
    if (await store.query('loadRun', { tenant, id: runId })) {
      await runs.cancel(tenant, runId, 'the next slot of its job came due');
      break;
    }
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
  }
  return { event: { type: 'fire.stopped', effectId: job.effectId } };
}

async function start(options: FireOptions, job: JobEffect, runId: string): Promise<void> {
  const { definition } = job.context;
  const { tenant } = job.run;
  const { jobId, user } = job.options;
  const last = definition.prompt.includes('{{last}}') ? await lastResult(options, job) : nothing;
  const slot = slotText(Number(job.params.slot));
  const said = definition.prompt.replaceAll('{{slot}}', slot).replaceAll('{{last}}', () => last.text);
  const prompt = definition.skill === null ? withoutName(said, definition) : `/${definition.skill} ${said}`;
  const input = withSlot(definition.input ?? null, slot);
  await options.start({ tenant, user, jobId, definition, prompt, input, runId, tainted: last.tainted });
}

/** The input of a workflow, with the time of the slot in its texts. */
export function withSlot(input: JsonValue, slot: string): JsonValue {
  if (typeof input === 'string') return input.replaceAll('{{slot}}', slot);
  if (Array.isArray(input)) return input.map((one) => withSlot(one, slot));
  if (!isObject(input)) return input;
  return Object.fromEntries(
    Object.entries(input).map(([key, value]) => [key, withSlot(value as JsonValue, slot)]),
  );
}

/** How a slot's time is written in prompts and inputs. */
export function slotText(slot: number): string {
  return new Date(slot).toISOString().replace('.000', '');
}

/** A prompt names a skill only if a person wrote that: not by words of an agent, or of the last result. */
function withoutName(said: string, { prompt, bounds }: JobDefinition): string {
  const isOfPerson = bounds === undefined && prompt.startsWith('/');
  return said.startsWith('/') && !isOfPerson ? `\n${said}` : said;
}

async function rejoin(options: FireOptions, job: JobEffect, { session }: RunRow): Promise<void> {
  await uncount(options, job);
  await options.engine.adopt(session);
}

/**
 * Waiting for a run, or for room, says nothing against the step, so an attempt that a crash broke off does not count.
 */
async function uncount({ store }: FireOptions, { run, effectId, attempt }: JobEffect): Promise<void> {
  if (attempt < 2) return;
  const place = { run: run.pk, n: effectId };
  await store.commit(function* () {
    const effect = yield* ask('findEffect', place);
    if (effect && effect.attempt > 1) yield* ask('uncountAttempt', { ...place, fence: effect.fence });
  });
}

/**
 * The run once it has ended; null when it was deleted.
 *
 * @param rests is called when it waits for a person
 * @param moved is called at first, and whenever it has moved
 */
async function end(
  { store, bus }: FireOptions,
  { run: { tenant }, signal }: JobEffect,
  id: string,
  rests: () => void,
  moved: () => void,
): Promise<RunRow | null> {
  const over = Promise.withResolvers<RunRow | null>();
  let words: RunWords | null = null;
  const look = async () => {
    const row = await store.query('loadRun', { tenant, id });
    if (!row || row.ended) return over.resolve(row ?? null);
    moved();
    words = wordsOf(row);
    if (words.waitsInProcess ? !words.isWorking(pathOf(JSON.parse(row.state))) : !words.isAtWork(row))
      rests();
  };
  const lookAgain = () => void look().catch(over.reject);
  const listen = ({ type, path }: RunSignal) => {
    if (type === 'transition' && !words?.isWorking(String(path))) lookAgain();
  };
  const stop = bus.listen(id, listen);
  const neglect = bus.attend(tenant, id);
  const leave = () => over.reject(signal.reason);
  signal.addEventListener('abort', leave, { once: true });
  if (signal.aborted) leave();
  lookAgain();
  return over.promise.finally(() => {
    stop();
    neglect();
    signal.removeEventListener('abort', leave);
  });
}

/** The answer of the last run of the job that ended well: as untrusted as what that run had read. */
async function lastResult(
  { store, runs }: FireOptions,
  { run: { tenant }, options, context: { lastGood } }: JobEffect,
): Promise<Result> {
  const last = lastGood !== null && fireRunId(options.key, lastGood);
  const row = last && (await store.query('loadRun', { tenant, id: last }));
  if (!row) return nothing;
  return { text: resultText(await runs.view(tenant, row.id)), tainted: await taintOfRun(store, row) };
}

/** What a run has to say in the end: of an agent its last answer, of a workflow its output as JSON. */
export function resultText(view: RunView): string {
  if (!isWorkflowView(view)) return view.text;
  const { output } = view.workflow;
  return output === undefined ? '' : JSON.stringify(output);
}

function resultOf(job: JobEffect, { runId, status, outcome, error }: RunView): Fact {
  if (status === 'done') return ended(job, runId, 'ok', null);
  if (status === 'cancelled') return ended(job, runId, 'cancelled', null);
  const failure = error ?? { code: outcome ?? 'FAILED', message: `the run ended as ${outcome ?? status}` };
  return ended(job, runId, 'failed', { code: failure.code, message: failure.message });
}

function ended(
  { effectId }: JobEffect,
  runId: string | null,
  status: 'ok' | 'failed' | 'cancelled',
  error: JobFailure | null,
): Fact {
  return { event: { type: 'fire.ended', effectId, runId, status, error: error && { ...error } } };
}
