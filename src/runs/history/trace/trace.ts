import { begin, leavesOf } from '../../../engine/decide.ts';
import type { MachineHost } from '../../../engine/machine-host.ts';
import type { MachineHosts } from '../../../engine/machine-hosts.ts';
import { migratedEvent } from '../../../engine/migrate.ts';
import { readLog, readMessages } from '../../../engine/read-log.ts';
import { Diverged, Fold, type FoldedTransition, firstVersion, foldableFrom } from '../../../engine/replay.ts';
import { isObject, type JsonObject, type JsonValue, parseJson } from '../../../protocol/json.ts';
import type {
  ContextChanges,
  RunTrace,
  TracedSpan,
  TracedTransition,
  TracedWay,
  TransitionCause,
} from '../../../protocol/run-trace.ts';
import { parseMessage } from '../../../records/messages.ts';
import type { EventRow, RunRow } from '../../../store/rows.ts';
import { eventName, type NameOf, readNames } from '../../flows/flow-names.ts';
import type { Store } from '../../statements.ts';
import { type WatchedMachines, watched } from '../watched.ts';
import { changesOf, shownEvent } from './shown-event.ts';
import { Spans } from './spans.ts';

export interface Tracing {
  store: Store;
  hosts: MachineHosts;
  redact(text: string): string;
}

/** Which part of a trace a reader wants. */
export interface TracePlace {
  /** The transitions after this one. */
  afterSeq: number;
  /** How many of them at most. */
  limit: number;
}

/** Of the transitions in one answer as JSON: less than may wait for a client of the gateway that reads slowly. */
const maxJson = 200_000;
/** Of the transitions that are kept besides those of the answer: a reader that asks again finds them folded. */
const maxKept = 2_000_000;

/**
 * The trace of one run. It follows the log as far as its readers ask, and keeps the newest of what it has folded: one who goes
 * on reading has nothing folded twice, one who goes back needs another tracer.
 */
export class Tracer {
  readonly #tracing: Tracing;
  readonly #watched: WatchedMachines;
  /** Those that are kept, behind those that are forgotten. */
  readonly #transitions: TracedTransition[] = [];
  /** How long each of them is as JSON, and all together. */
  readonly #sizes: number[] = [];
  #kept = 0;
  #forgotten = 0;
  /** The last transition that was read, and the last one of the log. */
  #seq = 0;
  #logSeq = 0;
  #lastWay: number | null = null;
  /** Where the fold begins, and the migrations behind. */
  #starts: readonly EventRow[] = [];
  #contextBytes = 0;
  readonly #spans = new Spans();
  readonly #ways: TracedWay[] = [];
  /** The numbers of the ways, by their JSON. */
  readonly #numbers = new Map<string, number>();
  #initial: RunTrace['initial'] = { path: [], context: null };
  /** Before the first folded transition, as far as it is known. */
  #context: JsonObject = {};
  #folding: Fold | null = null;
  #hasFolded = false;
  #agrees = 0;
  #diverged: RunTrace['diverged'];
  #isKnown = true;
  #isEnded = false;
  /** What a workflow's chart calls its effects; null for runs of other machines. */
  #nameOf: NameOf | null = null;
  /** Commands of people. */
  #commands: ReadonlySet<string> = new Set();
  /** The tools of its calls, by the number of the call, and the last transition whose answer was read for them. */
  readonly #tools = new Map<number, string>();
  #namedTo = -1;

  constructor(tracing: Tracing) {
    this.#tracing = tracing;
    this.#watched = watched(tracing.hosts);
  }

  /** What it keeps, as characters of JSON or so. */
  get bytes(): number {
    return (
      this.#kept + this.#ways.length * 500 + this.#tools.size * 60 + this.#spans.bytes + this.#contextBytes
    );
  }

  /** Whether it still has what comes behind a transition. */
  reaches(afterSeq: number): boolean {
    return afterSeq >= this.#forgotten;
  }

  /** Folds what an answer needs, as far as the log goes. Not to be called again before it has ended. */
  async follow(row: RunRow, { afterSeq, limit }: TracePlace): Promise<void> {
    const { store } = this.#tracing;
    const first = this.#firstBehind(afterSeq);
    let count = this.#transitions.length - first;
    let size = this.#sizes.slice(first).reduce((sum, one) => sum + one, 0);
    const isFull = () => count >= limit || (size > maxJson && count > 1);
    if (row.seq > this.#seq && !isFull()) {
      this.#nameOf = await readNames(store, row);
      if (this.#seq === 0) this.#begin(row, await store.query('listFoldStarts', { run: row.pk }));
      for await (const event of readLog(store, row.pk, { after: this.#seq, upTo: row.seq })) {
        this.#take(row, event);
        this.#forget(afterSeq);
        if (event.seq <= afterSeq) continue;
        count++;
        size += this.#sizes.at(-1) ?? 0;
        if (isFull()) break;
      }
      await this.#nameCalls(row);
    }
    if (row.seq < this.#logSeq) return;
    this.#logSeq = row.seq;
    this.#isEnded = row.ended === 1;
  }

  #firstBehind(afterSeq: number): number {
    const found = this.#transitions.findIndex(({ seq }) => seq > afterSeq);
    return found < 0 ? this.#transitions.length : found;
  }

  /** Forgets the oldest, but none behind `afterSeq`. */
  #forget(afterSeq: number): void {
    while (this.#kept > maxKept) {
      const [oldest] = this.#transitions;
      if (!oldest || oldest.seq > afterSeq) return;
      this.#transitions.shift();
      this.#kept -= this.#sizes.shift() ?? 0;
      this.#forgotten = oldest.seq;
      this.#spans.forgetBefore(oldest.seq + 1);
    }
  }

  /** Without the hash of the machine's definition, which the caller knows. */
  page({ id, sessionKey, machine, version }: RunRow, { afterSeq, limit }: TracePlace): RunTrace {
    const first = this.#firstBehind(afterSeq);
    let end = first;
    for (let size = 0; end < this.#transitions.length && end < first + limit; end++) {
      size += this.#sizes[end] ?? 0;
      if (size > maxJson && end > first) break;
    }
    const transitions = this.#transitions.slice(first, end);
    // Readers may change what they get.
    return structuredClone({
      runId: id,
      sessionId: sessionKey,
      machine: { name: machine, version, hash: null, known: this.#isKnown },
      lastSeq: this.#logSeq,
      ended: this.#isEnded,
      agrees: this.#agrees,
      ...(this.#diverged && { diverged: this.#diverged }),
      initial: this.#initial,
      transitions,
      ways: this.#waysOf(transitions),
      spans: this.#spans.between(afterSeq, transitions.at(-1)?.seq ?? afterSeq),
    });
  }

  #begin(row: RunRow, starts: readonly EventRow[]): void {
    const { hosts, redact } = this.#tracing;
    const host = hosts.find(row.machine, row.version);
    this.#isKnown = host !== undefined;
    if (!host) return;
    this.#commands = commandsOf(host, row);
    this.#asFarAsItAgrees(() => {
      this.#starts = foldableFrom(hosts, row, starts);
      const isWhole = this.#starts[0] === starts[0];
      const first = isWhole ? hosts.find(row.machine, firstVersion(row, starts)) : undefined;
      if (!first) return;
      const { snapshot } = begin(first, JSON.parse(row.input));
      this.#context = JSON.parse(redact(JSON.stringify(snapshot.context)));
      this.#initial = { path: oneOrAll(leavesOf(snapshot.value)), context: this.#context };
    });
  }

  #waysOf(transitions: readonly TracedTransition[]): Record<number, TracedWay> {
    const ways: Record<number, TracedWay> = {};
    for (const { way } of transitions) ways[way] = this.#ways[way] as TracedWay;
    return ways;
  }

  #take(row: RunRow, event: EventRow): void {
    const { machines, take } = this.#watched;
    const isFoldable = this.#isKnown && !this.#diverged && event.seq >= (this.#starts[0]?.seq ?? 1);
    if (isFoldable)
      this.#asFarAsItAgrees(() => {
        this.#folding ??= Fold.of(machines, row, this.#starts, this.#tracing.redact);
        this.#add(this.#folding.next(event), take());
      });
    if (this.#seq < event.seq) this.#note(event);
  }

  #asFarAsItAgrees(read: () => void): void {
    try {
      read();
    } catch (error) {
      if (!(error instanceof Diverged)) throw error;
      const { seq, what } = error.divergence;
      this.#diverged = { seq, what };
    }
  }

  #add(folded: FoldedTransition, { guards, edges }: ReturnType<WatchedMachines['take']>): void {
    const { event, before, snapshot, context, isRedacted } = folded;
    const body = JSON.parse(event.body) as JsonObject;
    // It is kept as text and parsed, and so is the first one.
    this.#contextBytes = 3 * context.length;
    const after = isRedacted ? (JSON.parse(context) as JsonObject) : (snapshot.context as JsonObject);
    // What the machine left as it was is the same object in both. The first one comes after no folded one.
    const was = this.#hasFolded ? (before.context as JsonObject) : this.#context;
    this.#spans.add(folded, body);
    this.#agrees++;
    const asked = guards.map(({ guard, passed }) => ({ guard, holds: passed }));
    this.#push(
      event,
      body,
      { to: oneOrAll(leavesOf(snapshot.value)), edges, guards: asked },
      changesOf(was, after),
    );
    this.#hasFolded = true;
  }

  /** A transition that cannot be folded. */
  #note(event: EventRow): void {
    const body = parseJson(event.body);
    this.#push(
      event,
      isObject(body) ? (body as JsonObject) : {},
      { to: event.path, edges: [], guards: [] },
      {},
    );
  }

  #push(
    { seq, at, type, hash }: EventRow,
    { cost, ...body }: JsonObject,
    way: Omit<TracedWay, 'from'>,
    changes: ContextChanges,
  ): void {
    const { context: _, value: __, ...migration } = body;
    const usage = usageOf(cost);
    const from = (this.#lastWay === null ? undefined : this.#ways[this.#lastWay]?.to) ?? this.#initial.path;
    const transition: TracedTransition = {
      seq,
      at,
      ...shownEvent(type, type === migratedEvent ? migration : body),
      ...(this.#nameOf && { label: eventName({ ...body, type }, this.#nameOf) }),
      by: this.#causeOf(type, body),
      way: this.#wayNumber({ from, ...way }),
      changes,
      hash,
      ...(usage && { usage }),
    };
    const size = JSON.stringify(transition).length;
    this.#transitions.push(transition);
    this.#sizes.push(size);
    this.#kept += size;
    this.#lastWay = transition.way;
    this.#seq = seq;
  }

  #wayNumber(way: TracedWay): number {
    const key = JSON.stringify(way);
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    this.#numbers.set(key, this.#ways.length);
    return this.#ways.push(way) - 1;
  }

  #causeOf(type: string, { effectId, callId }: JsonObject): TransitionCause {
    if (/^(timer|xstate\.after|flow)\./.test(type)) return { kind: 'timer' };
    if (this.#commands.has(type)) return { kind: 'person' };
    const effect = effectId ?? callId;
    if (typeof effect !== 'number') return { kind: 'system' };
    return { kind: 'effect', effect, name: this.#spans.names.get(effect) ?? '' };
  }

  /** The names of tools are in the model's answers alone, and what a call waits for in its question. */
  async #nameCalls(row: RunRow): Promise<void> {
    const unnamed = this.#spans.unnamed();
    if (unnamed.length === 0) return;
    const { pk: run } = row;
    const { store } = this.#tracing;
    for await (const message of readMessages(store, row, { after: this.#namedTo, upTo: this.#seq })) {
      const { role, body } = parseMessage(message);
      if (role === 'assistant') for (const { callId, name } of body.toolCalls) this.#tools.set(callId, name);
    }
    this.#namedTo = this.#seq;
    const questions = await store.query('listConfirmations', { run });
    for (const span of unnamed) {
      const tool = this.#tools.get(span.effect);
      if (tool !== undefined) Object.assign(span, { tool, label: tool });
      const asked = questions.find(({ call, askedAt }) => call === span.effect && askedAt === span.startedAt);
      if (span.lane === 'people' && asked) span.kind = asked.kind as NonNullable<TracedSpan['kind']>;
    }
  }
}

/** A run begins because a person asked for it, unless it is a part of another one, or that of a job. */
function commandsOf({ commands, startEvent }: MachineHost, { options }: RunRow): ReadonlySet<string> {
  const { machine, parentRunId } = JSON.parse(options) as { machine?: string; parentRunId?: string };
  return machine === 'run' && parentRunId === undefined ? new Set([...commands, startEvent]) : commands;
}

function oneOrAll(leaves: string[]): string | string[] {
  const [only] = leaves;
  return leaves.length === 1 && only !== undefined ? only : leaves;
}

function usageOf(cost: JsonValue | undefined): TracedTransition['usage'] {
  if (!isObject(cost)) return undefined;
  const { inputTokens, outputTokens, costUsd } = cost;
  if (typeof inputTokens !== 'number' || typeof outputTokens !== 'number') return undefined;
  return { inputTokens, outputTokens, costUsd: typeof costUsd === 'number' ? costUsd : 0 };
}
