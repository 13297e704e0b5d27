import { Diverged, type FoldedTransition, firstVersion, Replay } from '../../../engine/log.ts';
import {
  begin,
  leavesOf,
  type MachineHost,
  type MachineHosts,
  migratedEvent,
  readTransitions,
  senderOf,
  unsigned,
} from '../../../engine/machine.ts';
import { isObject, type JsonObject, type JsonValue, parseJson } from '../../../protocol/json.ts';
import type {
  ContextChanges,
  RunTrace,
  TracedTransition,
  TracedWay,
  TransitionCause,
} from '../../../protocol/views.ts';
import type { EventRow, RunRow } from '../../../store/rows.ts';
import { parseMessage, type StoredMessage } from '../../../store/stored-message.ts';
import { optionsOf } from '../../../store/stored-run.ts';
import { eventName, type NameOf, readNames } from '../../flows/flow-names.ts';
import type { Store } from '../../rows/statements.ts';
import { readQuestions } from '../../story/read-story.ts';
import { type AskedQuestion, Story } from '../../story/story.ts';
import { knownChart } from '../known-chart.ts';
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
 * The trace of one run. It folds the log as far as its readers ask, and keeps the newest transitions. A reader that
 * reads on has nothing folded twice; a reader that goes back needs another tracer.
 */
export class Tracer {
  readonly #tracing: Tracing;
  readonly #watched: WatchedMachines;
  /** The transitions that are kept; older ones are dropped. */
  readonly #transitions: TracedTransition[] = [];
  /** The length of each kept transition as JSON. */
  readonly #sizes: number[] = [];
  #kept = 0;
  #forgotten = 0;
  /** The last transition that was read, and the last one of the log. */
  #seq = 0;
  #logSeq = 0;
  #lastWay: number | null = null;
  readonly #story = new Story();
  #contextBytes = 0;
  #spans = new Spans();
  readonly #ways: TracedWay[] = [];
  /** The numbers of the ways, by their JSON. */
  readonly #numbers = new Map<string, number>();
  #initial: RunTrace['initial'] = { path: [], context: null };
  /** Before the first folded transition, as far as it is known. */
  #context: JsonObject = {};
  #replay: Replay | null = null;
  /** Set when even the migrations of the log do not say with which version it begins. */
  #broken: RunTrace['diverged'];
  #isKnown = true;
  #isEnded = false;
  /** What a workflow's chart calls its effects; null for runs of other machines. */
  #nameOf: NameOf | null = null;
  /** Commands of people. */
  #commands: ReadonlySet<string> = new Set();

  constructor(tracing: Tracing) {
    this.#tracing = tracing;
    this.#watched = watched(tracing.hosts);
  }

  /** What it keeps, as characters of JSON or so. */
  get bytes(): number {
    return this.#kept + this.#ways.length * 500 + this.#spans.bytes + this.#contextBytes;
  }

  /** Whether it still has the transitions after this one. */
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
      const questions = await readQuestions(store, row);
      for await (const { event, messages } of readTransitions(store, row, { after: this.#seq })) {
        this.#take(event, messages.map(parseMessage), questions);
        this.#forget(afterSeq);
        if (event.seq <= afterSeq) continue;
        count++;
        size += this.#sizes.at(-1) ?? 0;
        if (isFull()) break;
      }
    }
    if (row.seq < this.#logSeq) return;
    this.#logSeq = row.seq;
    this.#isEnded = row.ended === 1;
  }

  #firstBehind(afterSeq: number): number {
    const found = this.#transitions.findIndex(({ seq }) => seq > afterSeq);
    return found < 0 ? this.#transitions.length : found;
  }

  /** Drops the oldest transitions, but none after `afterSeq`. */
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
      agrees: this.#replay?.folded ?? 0,
      ...this.#differs,
      initial: this.#initial,
      transitions,
      ways: this.#waysOf(transitions),
      spans: this.#spans.between(afterSeq, transitions.at(-1)?.seq ?? afterSeq),
    });
  }

  #begin(row: RunRow, starts: readonly EventRow[]): void {
    const { hosts, redact } = this.#tracing;
    const host = knownChart(hosts, row);
    this.#isKnown = host !== null;
    this.#spans = new Spans(optionsOf(row).forkedFrom?.seq ?? null);
    if (!host) return;
    this.#commands = commandsOf(host, row);
    try {
      this.#replay = new Replay(this.#watched.machines, row, starts, redact);
      const first = this.#replay.isWhole
        ? knownChart(hosts, { ...row, version: firstVersion(row, starts) })
        : null;
      if (!first) return;
      const { snapshot } = begin(first, JSON.parse(row.input));
      this.#context = JSON.parse(redact(JSON.stringify(snapshot.context)));
      this.#initial = { path: oneOrAll(leavesOf(snapshot.value)), context: this.#context };
    } catch (error) {
      if (!(error instanceof Diverged)) throw error;
      this.#broken = error.divergence;
    }
  }

  #waysOf(transitions: readonly TracedTransition[]): Record<number, TracedWay> {
    const ways: Record<number, TracedWay> = {};
    for (const { way } of transitions) ways[way] = this.#ways[way] as TracedWay;
    return ways;
  }

  #take(event: EventRow, messages: StoredMessage[], questions: readonly AskedQuestion[]): void {
    const { type, path, at } = event;
    const given = parseJson(event.body);
    const body = isObject(given) ? (given as JsonObject) : {};
    const told = this.#story.take({ event: { ...body, type }, path, at, messages }, questions);
    const isFirst = this.#replay?.folded === 0;
    const folded = this.#replay?.take(event) ?? null;
    // Its event reports 0 for an unknown cost, because the machine adds it up.
    const [used] = [...told.said, told.unsaid].flatMap((paid) => ('usage' in paid && paid.usage) || []);
    if (used) body.cost = used;
    if (told.unsaid.usage) delete body.usage;
    if (folded) this.#add(folded, body, { ...this.#watched.take(), isFirst });
    // It cannot be folded.
    else this.#push(event, body, { to: path, edges: [], guards: [] }, {});
  }

  #add(
    folded: FoldedTransition,
    body: JsonObject,
    { guards, edges, isFirst }: ReturnType<WatchedMachines['take']> & { isFirst: boolean },
  ): void {
    const { event, before, snapshot, context, isRedacted } = folded;
    // The context is stored as text and parsed, like the one before it and the first one.
    this.#contextBytes = 4 * context.length;
    const after = isRedacted ? (JSON.parse(context) as JsonObject) : (snapshot.context as JsonObject);
    // Values that the machine left unchanged are the same objects in both. No folded transition comes before the first
    // one.
    const was = isFirst ? this.#context : (before.context as JsonObject);
    this.#spans.add(folded, body, this.#story.open);
    const asked = guards.map(({ guard, passed }) => ({ guard, holds: passed }));
    this.#push(
      event,
      body,
      { to: oneOrAll(leavesOf(snapshot.value)), edges, guards: asked },
      changesOf(was, after),
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
      ...shownEvent(type, type === migratedEvent ? migration : unsigned(body)),
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

  #causeOf(type: string, body: JsonObject): TransitionCause {
    const { effectId, callId } = body;
    if (/^(timer|xstate\.after|flow)\./.test(type)) return { kind: 'timer' };
    if (this.#commands.has(type)) {
      // An event of a chart may have a field of that name; only its sender counts.
      const who = this.#nameOf ? senderOf(body) : body.by;
      return { kind: 'person', ...(typeof who === 'string' && { who }) };
    }
    const effect = effectId ?? callId;
    if (typeof effect !== 'number') return { kind: 'system' };
    return { kind: 'effect', effect, name: this.#spans.names.get(effect) ?? '' };
  }

  get #differs(): Pick<RunTrace, 'diverged'> {
    const found = this.#replay?.diverged ?? this.#broken;
    return found ? { diverged: { seq: found.seq, what: found.what } } : {};
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
  return { inputTokens, outputTokens, costUsd: typeof costUsd === 'number' ? costUsd : null };
}
