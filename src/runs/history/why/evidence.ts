import type { RunContext } from '../../../../machines/run.types.ts';
import { Diverged, Fold, readEffects } from '../../../engine/log.ts';
import { foldActions, type MachineHosts } from '../../../engine/machine.ts';
import { DetentError } from '../../../protocol/error.ts';
import type { RunStatus, Sentence } from '../../../protocol/views.ts';
import type { DriverRow, EffectRow, EventRow, RunRow, TimerRow } from '../../../store/rows.ts';
import type { CallInput, LogEvent } from '../../../store/stored-call.ts';
import type { AssistantBody } from '../../../store/stored-message.ts';
import { isWorkflowRun, readRun, type StoredRun } from '../../../store/stored-run.ts';
import { type NameOf, namesOf, serviceOf } from '../../flows/flow-names.ts';
import { kindOf } from '../../kinds/kind-of.ts';
import { type IsDriven, runStatus, statusAmongRuns } from '../../rows/run-status.ts';
import type { Store } from '../../rows/statements.ts';
import { isDecided } from '../../rows/sub-run-rows.ts';
import { type RunStory, readStory } from '../../story/read-story.ts';
import type { ToldCall } from '../../story/story.ts';
import { shownEvent } from '../trace/shown-event.ts';
import { type GuardResult, watched } from '../watched.ts';

/** A transition with the guards that its machine asked, and the effects and timers that it started. */
export interface Judged {
  seq: number;
  at: number;
  event: LogEvent;
  from: string;
  to: string;
  /** In the order in which xstate asked them; empty where the log could not be folded. */
  guards: GuardResult[];
  /** Effects that it requested. */
  effects: number[];
  /** Events of the timers that it set. */
  timers: string[];
  /** Of an agent's run. */
  context: RunContext | null;
}

/** Everything known about a run, read from its rows. */
export interface Evidence extends StoredRun, RunStory {
  status: RunStatus;
  transitions: Judged[];
  /** Why the transitions have no guards; null when they have. */
  unfolded: string | null;
  effects: Map<number, EffectRow>;
  /** Of a workflow: the names that its chart gives its effects. */
  nameOf: NameOf;
  timers: TimerRow[];
  /** The run ahead of this one in the queue of its session. */
  blocker: RunRow | null;
  /** What the run needs and this program lacks; null when it has all, or the run needs no driver. */
  missing: Sentence | null;
  /** Where the database was when the run was last driven, if it was moved or copied since: a resume must say that it may. */
  movedFrom: { there: string; here: string } | null;
  /** The driver that performed an effect last, or else that drove the run last. */
  driverOf(effect?: EffectRow): DriverRow | null;
  now: number;
}

export interface Reading {
  missing(row: RunRow): Sentence | null;
  movedFrom(row: RunRow): Evidence['movedFrom'];
  store: Store;
  hosts: MachineHosts;
  redact(text: string): string;
  isDriven: IsDriven;
  /** Milliseconds since the epoch. */
  now: number;
}

export async function readEvidence(reading: Reading, row: RunRow): Promise<Evidence> {
  const { store, isDriven, now } = reading;
  const run = row.pk;
  const status = kindOf(row).waitsInProcess
    ? runStatus(row, isDriven)
    : (await statusAmongRuns(store, row, isDriven)).status;
  const effects = await Array.fromAsync(readEffects(store, run), (effect) =>
    // Of a workflow's effects only the names are shown.
    isWorkflowRun(row) ? { ...effect, params: JSON.stringify({ id: serviceOf(effect.params) }) } : effect,
  );
  const { judged, judge } = judging(reading, row, await store.query('listFoldStarts', { run }));
  const story = await readStory(store, row, judge);
  const head = await store.query('laneHead', { session: row.session });
  const drivers = new Map<number | null, DriverRow>();
  for (const epoch of new Set([row.lastDriver, ...effects.map(({ driver }) => driver)])) {
    const driver = epoch === null ? undefined : await store.query('findDriver', { epoch });
    if (driver) drivers.set(epoch, driver);
  }
  return {
    ...readRun(row),
    ...story,
    status: status === 'interrupted' && (await isDecided(store, row)) ? 'decided' : status,
    ...judged,
    effects: new Map(effects.map((effect) => [effect.n, effect])),
    nameOf: namesOf(effects),
    timers: await store.query('listTimers', { run }),
    blocker: head && head.id !== row.id ? head : null,
    missing:
      status === 'interrupted' || status === 'decided' || status === 'unstarted'
        ? reading.missing(row)
        : null,
    movedFrom: row.ended ? null : reading.movedFrom(row),
    driverOf: (effect) => drivers.get(effect?.driver ?? row.lastDriver) ?? null,
    now,
  };
}

/** Judges the transitions of a run that it is given, in their order. */
function judging({ hosts, redact }: Reading, row: RunRow, starts: readonly EventRow[]) {
  const { machines, take } = watched(hosts);
  const judged: Pick<Evidence, 'transitions' | 'unfolded'> = { transitions: [], unfolded: null };
  let fold: Fold | null = null;
  const judge = (event: EventRow) => {
    const one = plain(event, judged.transitions.at(-1)?.to ?? kindOf(row).firstPath);
    judged.transitions.push(one);
    // The log still says what happened, even where this version of the machine cannot say why.
    if (judged.unfolded !== null) return;
    try {
      fold ??= Fold.of(machines, row, starts, redact);
      const { host, actions, snapshot } = fold.next(event);
      const folded = foldActions(host, actions);
      Object.assign(one, {
        guards: take().guards,
        effects: folded.effects.map(({ n }) => n),
        timers: [...folded.timers.values()].flatMap((timer) => (timer ? [timer.event] : [])),
        context: isWorkflowRun(row) ? null : (snapshot.context as RunContext),
      });
    } catch (error) {
      if (!(error instanceof Diverged) && !DetentError.is(error)) throw error;
      judged.unfolded =
        error instanceof Diverged
          ? `the log does not fold at seq ${error.divergence.seq}; see "detent runs replay ${row.id}"`
          : error.message;
    }
  };
  return { judged, judge };
}

/** Maximum characters of an event that are kept while the whole log is read. */
const maxBody = 8_000;

function plain({ seq, at, type, body, path }: EventRow, from: string): Judged {
  const whole = { type, ...JSON.parse(body) };
  const event = body.length > maxBody ? shownEvent(type, whole).event : whole;
  return { seq, at, event, from, to: path, guards: [], effects: [], timers: [], context: null };
}

/** What a call was: its tool, and its arguments as the model wrote them, with known secrets taken out. */
export type CallFacts = Pick<ToldCall, 'callId' | 'name' | 'arguments' | 'result' | 'questions'>;

/** A tool call by its number. */
export function callOf({ calls, effects }: Evidence, callId: number): CallFacts | null {
  const call = calls.get(callId);
  if (call) return call;
  const input = effects.get(callId)?.input;
  if (!input) return null;
  const { name } = JSON.parse(input) as CallInput;
  return { callId, name, arguments: '', result: null, questions: [] };
}

/** The tool call that an effect performs; null for an effect of another kind. */
export function callOfEffect(
  evidence: Evidence,
  { n, name }: Pick<EffectRow, 'n' | 'name'>,
): CallFacts | null {
  return name === 'effect.runTool' ? callOf(evidence, n) : null;
}

/** Each time that another process took the run over. */
export function takeOversIn({ transitions }: Evidence): Judged[] {
  return transitions.filter(({ event }) => event.type === 'run.resumed' && !event.isSameDriver);
}

/** The part of an answer that had arrived before a transition withdrew it. */
export function withdrawnAt({ messages }: Evidence, seq: number): AssistantBody | null {
  const message = messages.find((one) => one.role === 'withdrawn' && one.seq === seq);
  return message?.role === 'withdrawn' ? message.body : null;
}

/** All calls that the model made, in order. */
export function callsOf({ calls }: Evidence): CallFacts[] {
  return [...calls.values()].filter(({ isMade }) => isMade);
}
