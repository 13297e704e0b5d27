import type { AnyMachineSnapshot, StateValue } from 'xstate';
import type { JsonObject } from '../../protocol/json.ts';
import type { Program } from '../../store/program.ts';
import type {
  EffectRow,
  EffectStatus,
  MessageRole,
  MessageRow,
  RunRow,
  TakeableRun,
} from '../../store/rows.ts';
import type { DrivenMachine } from './pure-machine.ts';

/** An event as the log stores it; the engine adds `at` on delivery. */
export interface EngineEvent {
  type: string;
  effectId?: number;
  [key: string]: unknown;
}

/** What the program that writes a transition's rows gets. */
export interface CommitScope {
  /** The run after the transition. While a run is created: its first row. */
  row: RunRow;
  seq: number;
  at: number;
  event: EngineEvent;
  /** The row of the next message of this transition. Who asks for it inserts it. */
  nextMessage(role: MessageRole, body: string): MessageRow;
  /** Bytes that came with the event, by effect number; see {@link Fact.inputs}. */
  inputs: ReadonlyMap<number, string>;
  /** Leaves a command for a run, in the same commit. The process that has the run, or had it last, delivers the command. */
  post(
    to: Pick<RunRow, 'pk' | 'tenant' | 'driver' | 'lastDriver'>,
    kind: string,
    body: object,
  ): Program<void>;
  /** Tells watchers after the commit, right behind its transition. It is not stored. */
  emit(signal: WatcherSignal): void;
  redact(text: string): string;
}

/** A signal that is not stored. */
export interface WatcherSignal {
  type: string;
  [key: string]: unknown;
}

/** The result of an effect: the event, and rows that are committed with its transition. */
export interface Fact {
  event: EngineEvent;
  writes?: (scope: CommitScope) => Program<void>;
  /** Raw inputs of the effects that this event creates, by effect number. They are not logged. */
  inputs?: ReadonlyMap<number, string>;
  /** How the effect that the event names ends; default `done`. */
  settleAs?: EffectStatus;
  /** Signals that are not stored. Watchers get them after the commit, right before its transition. */
  signals?: readonly WatcherSignal[];
}

/** The types of a host's runs. The engine passes such values on without reading them. */
interface RunTypes {
  /** Of the machine. */
  context: unknown;
  /** What a run was created with. */
  options: unknown;
  /** See {@link MachineHost.newCache}. */
  cache: HostCache | null;
}

/** What a host keeps of a run. */
export interface HostCache {
  /**
   * The messages that the run's transitions have written since the cache was made, oldest first: of a host that reads them here, and
   * takes out what it has read.
   */
  written?: MessageRow[];
}

/** One effect to perform. */
export interface EffectJob<Run extends RunTypes = RunTypes> {
  run: RunRow;
  /** The run's options, parsed once. All its effects share the object: do not change it. */
  options: Run['options'];
  /** The machine's context when the effect was asked for. */
  context: Run['context'];
  cache: Run['cache'];
  effectId: number;
  params: JsonObject;
  input: string | null;
  attempt: number;
  /** True if an earlier attempt may have had its effect. A `probe` effect is checked before it runs again. */
  interrupted: boolean;
  /** Stable over attempts: `<run id>:<effect>`. */
  idempotencyKey: string;
  signal: AbortSignal;
  /**
   * Delivers a fact to the machine while the effect continues. False if the machine did not accept it.
   *
   * @throws DetentError as the store does, or when the engine has stopped.
   */
  note(fact: Pick<Fact, 'event' | 'writes'>): Promise<boolean>;
  /** Sends watchers a signal that is not stored. */
  signalWatchers(signal: WatcherSignal): void;
}

export interface EffectHandler<Run extends RunTypes = RunTypes> {
  /**
   * What to do with an effect whose process died: perform it again under the same key, or call its outcome uncertain.
   */
  recover(effect: EffectRow, context: Run['context']): 'perform' | 'uncertain';
  /** Performs one attempt. */
  perform(job: EffectJob<Run>): Promise<Fact>;
  /** The fact for a defect: `perform` threw, although it must not. */
  failed(effectId: number, error: unknown): Fact;
  /** The fact for an interrupted effect that `recover` calls uncertain. */
  uncertain?(effectId: number): Fact;
}

/** Migrates a run of version `from` to a newer version. */
export interface Migration {
  from: number;
  /**
   * Must be pure and use only state and context, because a replay calls it again. If it throws, the run stays as it is.
   */
  snapshot(old: { value: StateValue; context: unknown }): MigrationResult;
}

/** A state in which the newer machine can rest, and changes of the run's timers and effects. All others are kept. */
export interface MigrationResult {
  value: StateValue;
  context: unknown;
  /** By the timer's new id: an existing timer, which keeps its due time, or a new one from now on. Null clears it. */
  timers?: Readonly<
    Record<string, { event: string; was: string } | { event: string; delayMs: number } | null>
  >;
  /** By effect number: a new name or new params of an open effect. A migration cannot add or drop effects. */
  effects?: Readonly<Record<number, { name?: string; params?: JsonObject }>>;
}

/** A machine, and everything an engine needs to drive it. */
export interface MachineHost<Run extends RunTypes = RunTypes> {
  id: string;
  version: number;
  machine: DrivenMachine;
  /**
   * Says what chart this version is: a run is neither moved nor folded by the same version of another chart. Without it a
   * version always is the same chart.
   */
  fingerprint?: string;
  /**
   * Ends runs of another chart, which this program does not have: takes no command but a cancellation. The engine marks the
   * event with `withoutChart`, so that a replay with the run's own chart comes out the same.
   */
  withoutChart?: MachineHost;
  /**
   * Migrations from earlier versions, oldest first. Each leads to the `from` of the next, the last one to this version.
   * A run of a version without a migration continues under its own version, if that is registered.
   */
  migrate?: readonly Migration[];
  /**
   * Throws if this program must not drive a run that another one made. The engine then leaves the run as it is, and
   * reports the error.
   */
  checkTakeover?(row: TakeableRun): void;
  /** The timers of a state, for a machine whose nodes do not use `timer.set` and `timer.clear`. */
  timersOf?(snapshot: AnyMachineSnapshot): TimersOf;
  /** Numbers of the effects that this context waits for: held, pending, started or uncertain. */
  awaited(context: Run['context']): number[];
  /** Events that people and programs may send; all others are facts and timers. */
  commands: ReadonlySet<string>;
  /** The command that starts a queued run when its turn comes. */
  startEvent: string;
  /** Name of the effect whose rows `effect.hold` inserts before they start. */
  heldEffect: string;
  /** The engine's own facts: a driver took the run over; an effect kills its drivers; the machine throws. */
  resumed(lastAt: number): EngineEvent;
  /**
   * Whether passing time counts as working time in this state, so that time without a working process must be reported
   * with `resumed`.
   */
  countsTime?(snapshot: AnyMachineSnapshot): boolean;
  poisoned(effectId: number): EngineEvent;
  faulted(code: string, message: string): EngineEvent;
  /** Candidate commands with their ids from the context; the engine asks the snapshot's `can()` about each. */
  possibleCommands(context: Run['context']): EngineEvent[];
  /** What people must know of a command: the guards that decide on it, and a pattern of its payload, as JSON. */
  aboutCommand?(snapshot: AnyMachineSnapshot, type: string): { guard?: string; data?: string };
  /**
   * Makes the cache that all effects of a run share, for values derived from rows that do not change. The engine drops
   * it when the run ends or parks, and when it is unknown whether a commit was written.
   */
  newCache(): Run['cache'];
  effects: Readonly<Record<string, EffectHandler<Run>>>;
  /**
   * Writes the rows of domain actions (`confirm.request`). The engine itself writes those of `effect.*` and `timer.*`.
   */
  rows: Readonly<Record<string, (params: JsonObject, scope: CommitScope) => Program<void>>>;
  /** Writes further rows for effects that the transition aborts. */
  aborting(effects: readonly number[], scope: CommitScope): Program<void>;
  /**
   * The fact of an effect that began the run `child` (see {@link Fact.settleAs} `linked`), now that `child` has ended.
   * An effect that is performed again must find the run, and return this fact if the run has ended. If this throws, the
   * end is delivered again later.
   */
  childEnded?(parent: RunRow, effect: EffectRow, child: RunRow): Promise<Fact>;
  /** Whether the run waits only for people or other runs, and so does not keep the process alive. */
  isParked(snapshot: AnyMachineSnapshot): boolean;
}

export interface TimersOf {
  /** Timers that entering the state sets, each with its event. */
  set: ReadonlyMap<string, string>;
  /** Timers that leaving the state clears; they may be set. */
  cleared: ReadonlySet<string>;
}

/** The timers that the chart gives a state: `timer.set` among the entry actions of its nodes, `timer.clear` on exit. */
export function timersOf({ _nodes: nodes, context }: AnyMachineSnapshot): TimersOf {
  const params = (actions: readonly unknown[], type: string) =>
    actions.flatMap((action) => {
      const { params, ...named } = action as { type?: string; params?: unknown };
      if (named.type !== type) return [];
      // The event that set the timer is not known any more; only `delayMs` may depend on it, and it is not used here.
      const resolved = typeof params === 'function' ? params({ context, event: { type: '' } }) : params;
      return [resolved as { id: string; event: string }];
    });
  return {
    set: new Map(
      nodes.flatMap(({ entry }) => params(entry, 'timer.set')).map(({ id, event }) => [id, event]),
    ),
    cleared: new Set(nodes.flatMap(({ exit }) => params(exit, 'timer.clear')).map(({ id }) => id)),
  };
}
