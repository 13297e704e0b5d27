import { begin } from '../../../engine/decide.ts';
import type { MachineHost } from '../../../engine/machine-host.ts';
import type { MachineHosts } from '../../../engine/machine-hosts.ts';
import { migratedEvent } from '../../../engine/migrate.ts';
import { Diverged, Fold, type FoldedTransition, firstVersion, foldableFrom } from '../../../engine/replay.ts';
import { leavesOf } from '../../../engine/state-ids.ts';
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
import { isWorkflowRun } from '../../../records/workflow-run.ts';
import type { EventRow, RunRow } from '../../../store/rows.ts';
import { eventName, type NameOf, namesOf } from '../../flows/flow-names.ts';
import type { Store } from '../../statements.ts';
import { type WatchedMachines, watched } from '../watched.ts';
import { changesOf } from './changes.ts';
import { shownEvent } from './shown-event.ts';
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

/** Transitions that are folded before other work of the process gets its turn. */
const slice = 200;
/** Of the transitions in one answer as JSON: less than may wait for a client of the gateway that reads slowly. */
const maxJson = 200_000;

/** The trace of one run, which follows its log: what is folded once is not folded again. */
export class Tracer {
  readonly #tracing: Tracing;
  readonly #watched: WatchedMachines;
  readonly #transitions: TracedTransition[] = [];
  /** How long each of them is as JSON. */
  readonly #sizes: number[] = [];
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
  #namedTo = 0;

  constructor(tracing: Tracing) {
    this.#tracing = tracing;
    this.#watched = watched(tracing.hosts);
  }

  get size(): number {
    return this.#transitions.length;
  }

  get #lastSeq(): number {
    return this.#transitions.at(-1)?.seq ?? 0;
  }

  /** Folds what the log has since. Not to be called again before it has ended. */
  async follow(row: RunRow): Promise<void> {
    const { store } = this.#tracing;
    const after = this.#lastSeq;
    const events = await store.query('listEvents', {
      run: row.pk,
      after,
      limit: Math.max(0, row.seq - after),
    });
    if (isWorkflowRun(row) && events.length > 0)
      this.#nameOf = namesOf(await store.query('listEffects', { run: row.pk }));
    if (after === 0) await this.#asFarAsItAgrees(() => this.#begin(row, events));
    await this.#fold(row, this.#unread(events));
    for (const event of this.#unread(events)) this.#note(event);
    await this.#nameCalls(row);
    if (row.seq >= this.#lastSeq) this.#isEnded = row.ended === 1;
  }

  #unread(events: readonly EventRow[]): EventRow[] {
    const last = this.#lastSeq;
    return events.filter(({ seq }) => seq > last);
  }

  /** Without the hash of the machine's definition, which the caller knows. */
  page({ id, sessionKey, machine, version }: RunRow, { afterSeq, limit }: TracePlace): RunTrace {
    const next = this.#transitions.findIndex(({ seq }) => seq > afterSeq);
    const first = next === -1 ? this.size : next;
    let end = first;
    for (let size = 0; end < this.size && end < first + limit; end++) {
      size += this.#sizes[end] ?? 0;
      if (size > maxJson && end > first) break;
    }
    const transitions = this.#transitions.slice(first, end);
    // Readers may change what they get.
    return structuredClone({
      runId: id,
      sessionId: sessionKey,
      machine: { name: machine, version, hash: null, known: this.#isKnown },
      lastSeq: this.#lastSeq,
      ended: this.#isEnded,
      agrees: this.#agrees,
      ...(this.#diverged && { diverged: this.#diverged }),
      initial: this.#initial,
      transitions,
      ways: this.#waysOf(transitions),
      spans: this.#spans.between(afterSeq, transitions.at(-1)?.seq ?? afterSeq),
    });
  }

  #begin(row: RunRow, events: readonly EventRow[]): void {
    const { hosts, redact } = this.#tracing;
    const host = hosts.find(row.machine, row.version);
    this.#isKnown = host !== undefined;
    if (!host) return;
    this.#commands = commandsOf(host, row);
    const skipped = foldableFrom(hosts, row, events);
    for (const event of events.slice(0, skipped)) this.#note(event);
    const first = skipped === 0 ? hosts.find(row.machine, firstVersion(row, events)) : undefined;
    if (!first) return;
    const { snapshot } = begin(first, JSON.parse(row.input));
    this.#context = JSON.parse(redact(JSON.stringify(snapshot.context)));
    this.#initial = { path: oneOrAll(leavesOf(snapshot.value)), context: this.#context };
  }

  #waysOf(transitions: readonly TracedTransition[]): Record<number, TracedWay> {
    const ways: Record<number, TracedWay> = {};
    for (const { way } of transitions) ways[way] = this.#ways[way] as TracedWay;
    return ways;
  }

  async #fold(row: RunRow, events: readonly EventRow[]): Promise<void> {
    if (!this.#isKnown || this.#diverged) return;
    if (events.length === 0) return;
    const { machines, take } = this.#watched;
    await this.#asFarAsItAgrees(async () => {
      this.#folding ??= Fold.of(machines, row, events, this.#tracing.redact);
      for (const event of events) {
        this.#add(this.#folding.next(event), take());
        if (this.size % slice === 0) await new Promise((resolve) => setImmediate(resolve));
      }
    });
  }

  async #asFarAsItAgrees(read: () => void | Promise<void>): Promise<void> {
    try {
      await read();
    } catch (error) {
      if (!(error instanceof Diverged)) throw error;
      const { seq, what } = error.divergence;
      this.#diverged = { seq, what };
    }
  }

  #add(folded: FoldedTransition, { guards, edges }: ReturnType<WatchedMachines['take']>): void {
    const { event, before, snapshot, context, isRedacted } = folded;
    const body = JSON.parse(event.body) as JsonObject;
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
    const last = this.#transitions.at(-1);
    const from = (last && this.#ways[last.way]?.to) ?? this.#initial.path;
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
    this.#transitions.push(transition);
    this.#sizes.push(JSON.stringify(transition).length);
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
  async #nameCalls({ pk: run, session, seq: last }: RunRow): Promise<void> {
    const unnamed = this.#spans.unnamed();
    if (unnamed.length === 0) return;
    const { store } = this.#tracing;
    const rows =
      this.#namedTo === 0
        ? await store.query('listMessagesOfRun', { session, run })
        : await store.query('listMessages', { session, run, seq: this.#namedTo + 1 });
    for (const message of rows.filter((one) => one.run === run).map(parseMessage))
      if (message.role === 'assistant')
        for (const { callId, name } of message.body.toolCalls) this.#tools.set(callId, name);
    this.#namedTo = last;
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
