import { initialTransition, type SnapshotFrom, transition } from 'xstate';
import { idsIn } from '../../machines/calls.rules.ts';
import { runMachine } from '../../machines/run.machine.ts';
import type {
  AnswerCall,
  CallCost,
  PendingCall,
  RunContext,
  RunEvent,
  RunFailure,
  RunInput,
  RunLimits,
  RunOutput,
} from '../../machines/run.types.ts';
import { pathOf } from '../../src/engine/machine/decide.ts';
import { defaultLimits } from '../../src/store/run-options.ts';

type Snapshot = SnapshotFrom<typeof runMachine>;
type EventOf<T extends RunEvent['type']> = Extract<RunEvent, { type: T }>;
type Given<T extends RunEvent['type']> = Partial<Omit<EventOf<T>, 'type' | 'at' | 'effectId'>>;
/** An event whose time is the driver's, unless it brings one. */
type Timeless<E> = E extends RunEvent ? Omit<E, 'at'> & { at?: number } : never;

export interface Action {
  type: string;
  params: Record<string, unknown>;
}

/** Of all actions at once. */
interface Params {
  id: string;
  event: string;
  delayMs: number;
  effectId?: number;
  ids: number[];
  calls: number[];
  code: string;
}

export const noCost: CallCost = { inputTokens: 0, outputTokens: 0, costUsd: 0 };
export const failure: RunFailure = { code: 'MODEL_SERVER', message: 'the server is down', retryable: false };
export const passing: RunFailure = { ...failure, retryable: true };

/**
 * The run machine under the pure transition functions alone, with the bookkeeping that a host would do: which timers
 * are set, which effects run, which calls were closed and how.
 */
export class PureRun {
  at = 1_000;
  snapshot: Snapshot;
  /** Of the last event. */
  actions: Action[] = [];
  /** Every action since the start. */
  readonly history: Action[] = [];
  readonly timers = new Map<string, { event: string; dueAt: number }>();
  readonly closed = new Map<number, string[]>();
  readonly inFlight = new Set<number>();
  readonly aborted: number[] = [];

  constructor(limits: Partial<RunLimits> = {}, only?: RunInput['only']) {
    const input = { limits: { ...defaultLimits, ...limits }, ...(only && { only }) };
    const [snapshot, actions] = initialTransition(runMachine, input);
    this.snapshot = snapshot;
    this.#book(actions as unknown as Action[]);
  }

  static started(limits: Partial<RunLimits> = {}): PureRun {
    const run = new PureRun(limits);
    run.send({ type: 'run.start' });
    return run;
  }

  /** A run that is only to compact its session. */
  static compacting(): PureRun {
    const run = new PureRun({}, 'compact');
    run.send({ type: 'run.start' });
    return run;
  }

  get path(): string {
    return pathOf(this.snapshot.value);
  }

  get context(): RunContext {
    return this.snapshot.context;
  }

  get output(): RunOutput | undefined {
    return this.snapshot.output as RunOutput | undefined;
  }

  /** The outcome, and the code of its error if it has one. */
  get ending(): [outcome: string | undefined, code: string | undefined] {
    return [this.output?.outcome, this.output?.error?.code];
  }

  get awaiting(): number {
    const { awaiting } = this.context;
    if (awaiting === null) throw new Error(`nothing is awaited in ${this.path}`);
    return awaiting;
  }

  /** Names of the last event's actions. */
  get names(): string[] {
    return this.actions.map(({ type }) => type);
  }

  calls(...states: PendingCall['state'][]): number[] {
    return idsIn(this.context, ...states);
  }

  /** Effects of one kind that the last event asked for. */
  effects(type: string): number[] {
    return this.actions
      .filter((action) => action.type === type)
      .map(({ params }) => params.effectId as number);
  }

  later(ms: number): this {
    this.at += ms;
    return this;
  }

  /** Sends one event; true when the machine took it. */
  send(given: Timeless<RunEvent>): boolean {
    const event = { at: this.at, ...given } as RunEvent;
    const before = this.snapshot;
    const [next, actions] = transition(runMachine, before, event);
    this.snapshot = next;
    if ('effectId' in event && (next !== before || actions.length > 0)) this.inFlight.delete(event.effectId);
    this.#book(actions as unknown as Action[]);
    return next !== before || actions.length > 0;
  }

  answer(given: Given<'model.done'> = {}): this {
    const { finish = 'stop', text = true, calls = [], cost = noCost, ...rest } = given;
    this.send({ type: 'model.done', effectId: this.awaiting, finish, text, calls, cost, ...rest });
    return this;
  }

  /** An answer that asks for calls, written like `readonly`, `ask unsafe`, `refuse`. */
  ask(...calls: (string | Partial<AnswerCall>)[]): this {
    const next = this.context.effectCount + 1;
    const list = calls.map((call, i) => ({ callId: next + i, ...callOf(call) }));
    return this.answer({ finish: 'toolCalls', text: false, calls: list });
  }

  failModel(given: Given<'model.failed'> = {}): this {
    const base = {
      error: failure,
      outcome: 'provider_error',
      partial: false,
      delayMs: 100,
      cost: noCost,
    } as const;
    this.send({ type: 'model.failed', effectId: this.awaiting, ...base, ...given });
    return this;
  }

  /** The call goes on with the next model of the list. */
  switchModel(cost: CallCost = noCost): this {
    const error = { ...failure, retryable: true };
    this.send({ type: 'model.switched', effectId: this.awaiting, from: 'a/a', to: 'b/b', error, cost });
    return this;
  }

  pruned(): this {
    this.send({ type: 'context.pruned', effectId: this.awaiting, results: 3, tokens: 900, saved: 500 });
    return this;
  }

  tooBig(): this {
    this.send({ type: 'context.tooBig', effectId: this.awaiting, tokens: 200_000 });
    return this;
  }

  done(effectId: number, key = `key ${effectId}`): this {
    this.send({ type: 'tool.done', effectId, key });
    return this;
  }

  fail(effectId: number, key = `key ${effectId}`): this {
    this.send({ type: 'tool.failed', effectId, code: 'TOOL_FAILED', key });
    return this;
  }

  doubt(effectId: number): this {
    this.send({ type: 'tool.uncertain', effectId });
    return this;
  }

  decide(callId: number, verdict: EventOf<'confirm.decide'>['verdict'], change?: PendingCall['class']): this {
    this.send({ type: 'confirm.decide', callId, verdict, ...(change && { class: change }) });
    return this;
  }

  reconcile(callId: number, verdict: EventOf<'tool.reconcile'>['verdict']): this {
    this.send({ type: 'tool.reconcile', callId, verdict });
    return this;
  }

  flushed(): this {
    this.send({ type: 'flush.done', effectId: this.awaiting });
    return this;
  }

  flushFails(): this {
    this.send({ type: 'flush.failed', effectId: this.awaiting, error: failure });
    return this;
  }

  compacted(cost: CallCost = noCost): this {
    this.send({ type: 'compact.done', effectId: this.awaiting, cost });
    return this;
  }

  compactFails(cost: CallCost = noCost): this {
    this.send({ type: 'compact.failed', effectId: this.awaiting, error: failure, cost });
    return this;
  }

  message(): this {
    this.send({ type: 'run.message' });
    return this;
  }

  cancel(): this {
    this.send({ type: 'run.cancel' });
    return this;
  }

  /** Lets a timer that is set fire at its time. */
  fire(id: string): this {
    const timer = this.timers.get(id);
    if (!timer) throw new Error(`timer ${id} is not set in ${this.path}`);
    this.at = Math.max(this.at, timer.dueAt);
    this.timers.delete(id);
    this.send({ type: timer.event } as Timeless<RunEvent>);
    return this;
  }

  /** Milliseconds until a timer fires; undefined when it is not set. */
  delayOf(id: string): number | undefined {
    const timer = this.timers.get(id);
    return timer && timer.dueAt - this.at;
  }

  #book(actions: readonly Action[]): void {
    this.actions = [...actions];
    this.history.push(...actions);
    for (const { type, params } of actions) {
      const { id, event, delayMs, effectId, ids, calls, code } = params as unknown as Params;
      if (type === 'timer.set') this.timers.set(id, { event, dueAt: this.at + delayMs });
      else if (type === 'timer.clear') this.timers.delete(id);
      else if (type === 'effect.abort') this.#abort(ids);
      else if (type === 'call.close') this.#close(calls, code);
      else if (effectId !== undefined) this.inFlight.add(effectId);
    }
  }

  #abort(ids: readonly number[]): void {
    this.aborted.push(...ids);
    for (const id of ids) this.inFlight.delete(id);
  }

  #close(calls: readonly number[], code: string): void {
    for (const call of calls) this.closed.set(call, [...(this.closed.get(call) ?? []), code]);
  }
}

function callOf(call: string | Partial<AnswerCall>): Omit<AnswerCall, 'callId'> {
  if (typeof call !== 'string') return { gate: 'run', class: 'readonly', ...call };
  const words = call.split(' ');
  const gate = words.length > 1 || words[0] === 'refuse' ? (words[0] as AnswerCall['gate']) : 'run';
  if (gate === 'refuse') return { gate, class: 'readonly', byPolicy: words[1] !== 'mistake', key: call };
  return { gate, class: words.at(-1) as PendingCall['class'] };
}
