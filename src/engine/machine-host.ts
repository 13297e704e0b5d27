import type { AnyMachineSnapshot, StateValue } from 'xstate';
import type { JsonObject } from '../protocol/json.ts';
import type { Program } from '../store/program.ts';
import type { EffectRow, EffectStatus, RunRow } from '../store/rows.ts';
import type { PureMachine } from './pure-machine.ts';

/** An event as the log keeps it; `at` is added when it is delivered. */
export interface EngineEvent {
  type: string;
  effectId?: number;
  [key: string]: unknown;
}

/** What a transition's own rows may know. */
export interface CommitScope {
  /** The run as it was before, but for `seq`, which is the transition's own. */
  row: RunRow;
  seq: number;
  at: number;
  event: EngineEvent;
  /** The next free place among the messages of this transition. */
  nextMessage(): number;
  /** Bytes that came with the event, by effect number; see {@link Fact.inputs}. */
  inputs: ReadonlyMap<number, string>;
  redact(text: string): string;
}

/** The answer of an effect: the event, and rows that are committed with its transition. */
export interface Fact {
  event: EngineEvent;
  writes?: (scope: CommitScope) => Program<void>;
  /** Raw bytes for effects that this event brings into being; kept out of the log. */
  inputs?: ReadonlyMap<number, string>;
  /** How the effect that the event names ends; default `done`. */
  settleAs?: EffectStatus;
}

/** The types of a host's runs. The engine passes them on, and looks into none of them. */
export interface RunTypes {
  /** Of the machine. */
  context: unknown;
  /** What a run is made with. */
  options: unknown;
  /** See {@link MachineHost.newCache}. */
  cache: unknown;
}

/** One effect to perform. */
export interface EffectJob<Run extends RunTypes = RunTypes> {
  run: RunRow;
  /** Those of the run, parsed once while the engine holds it. All its effects share them: do not change them. */
  options: Run['options'];
  /** The machine's context when the effect was asked for. */
  context: Run['context'];
  cache: Run['cache'];
  effectId: number;
  params: JsonObject;
  input: string | null;
  attempt: number;
  /** True when an earlier attempt may have happened: a `probe` effect is asked before it is run again. */
  interrupted: boolean;
  /** Stable over attempts: `<run id>:<effect>`. */
  idempotencyKey: string;
  signal: AbortSignal;
  /**
   * Tells the machine something before the fact that ends the effect. False when it does not take it.
   *
   * @throws DetentError as the store does, or when the engine has stopped.
   */
  note(fact: Pick<Fact, 'event' | 'writes'>): Promise<boolean>;
  /** Tells watchers something that is not stored. */
  signalWatchers(signal: { type: string; [key: string]: unknown }): void;
}

export interface EffectHandler<Run extends RunTypes = RunTypes> {
  /** What to do with it when its process died: perform it again under the same key, or say that nobody knows. */
  recover(effect: EffectRow, context: Run['context']): 'perform' | 'uncertain';
  /** Performs one attempt. */
  perform(job: EffectJob<Run>): Promise<Fact>;
  /** The fact for a defect: `perform` threw, which it must not. */
  failed(effectId: number, error: unknown): Fact;
  /** The fact for an interrupted effect that `recover` calls uncertain. */
  uncertain?(effectId: number): Fact;
}

/** How a run of version `from` becomes one of a newer version. */
export interface Migration {
  from: number;
  /**
   * Must be pure, and know nothing but state and context: a replay calls it again. It may throw; then the run is left
   * as it is.
   */
  snapshot(old: { value: StateValue; context: unknown }): MigrationResult;
}

/** A state in which the newer machine can rest, and what becomes of the run's rows; what is not named is kept. */
export interface MigrationResult {
  value: StateValue;
  context: unknown;
  /** By the timer's new id: one of the run that keeps its time, or a new one from now on; null takes it away. */
  timers?: Readonly<
    Record<string, { event: string; was: string } | { event: string; delayMs: number } | null>
  >;
  /** By effect number: a new name or new params of an open effect. None can be made or dropped. */
  effects?: Readonly<Record<number, { name?: string; params?: JsonObject }>>;
}

/** A machine and all that an engine needs to drive it. */
export interface MachineHost<Run extends RunTypes = RunTypes> {
  id: string;
  version: number;
  machine: PureMachine;
  /**
   * How runs of earlier versions become runs of this one, oldest first: each step leads to the `from` of the next, the
   * last to this version. A run that no step starts from goes on under its own version, if that is registered.
   */
  migrate?: readonly Migration[];
  /** Numbers of the effects that are open in this context: held, pending, started or uncertain. */
  awaited(context: Run['context']): number[];
  /** Events that people and programs may send; all others are facts and timers. */
  commands: ReadonlySet<string>;
  /** The command that starts a queued run when its turn comes. */
  startEvent: string;
  /** The effect whose rows `effect.hold` writes ahead. */
  heldEffect: string;
  /** Facts of the engine itself: a driver took the run over; an effect kills its drivers; the machine throws. */
  resumed(lastAt: number): EngineEvent;
  poisoned(effectId: number): EngineEvent;
  faulted(code: string, message: string): EngineEvent;
  /** Makes concrete commands from the context, to ask `can()` about. */
  possibleCommands(context: Run['context']): EngineEvent[];
  /**
   * Makes the object that all effects of a run share while the engine holds it, for what they derive from rows that do not
   * change. The engine drops it when the run ends or parks, and when it cannot tell whether a commit was written.
   */
  newCache(): Run['cache'];
  effects: Readonly<Record<string, EffectHandler<Run>>>;
  /** Rows of domain actions (`confirm.request`); the engine itself writes `effect.*` and `timer.*`. */
  rows: Readonly<Record<string, (params: JsonObject, scope: CommitScope) => Program<void>>>;
  /** Rows that go with effects whose abort is committed. */
  aborting(effects: readonly number[], scope: CommitScope): Program<void>;
  /** Whether the run waits for people alone, and so holds no process. */
  isParked(snapshot: AnyMachineSnapshot): boolean;
}
