import { batch, computed, effect, type ReadonlySignal, signal } from '@preact/signals';
import type { ClientError } from '#src/client/index.ts';
import type { JsonObject } from '#src/protocol/json.ts';
import type { RunTrace, TracedTransition } from '#src/protocol/views.ts';
import { place, setQuery } from '../base/place.ts';
import { Contexts, readSeq } from './run-trace.ts';
import { asClientError } from './use-request.ts';

/** What is under inspection, a run or an actor: all panes of the page show it at the same moment. */
export interface Inspected {
  /** Null until all of it is read; then it grows while more happens. Its transitions are numbered from 1. */
  trace: ReadonlySignal<RunTrace | null>;
  /** How many transitions there were before the first one of the trace: people see numbers that count them too. */
  forgotten: ReadonlySignal<number>;
  /** How much is read, while it is read for the first time. */
  progress: ReadonlySignal<{ read: number; of: number }>;
  error: ReadonlySignal<ClientError | null>;
  /** The transition that all panes show; 0 without any. */
  seq: ReadonlySignal<number>;
  /** That transition. */
  transition: ReadonlySignal<TracedTransition | undefined>;
  /** It shows the newest transition, and the next one when that comes. */
  isAtHead: ReadonlySignal<boolean>;
  /** Shows a transition, and writes it into the address; null goes back to the newest one. Only reads. */
  show(seq: number | null): void;
  /** Moves on by so many transitions. Behind the last one lies the newest. */
  step(by: number): void;
  /** The context after a transition; null where it is not known. */
  contextAt(seq: number): JsonObject | null;
  /** Reads it, and what is added to it, until it is stopped. */
  follow(): () => void;
}

/** What a feed hands on. */
export interface FeedReader {
  /** What was read before. */
  before(): RunTrace | null;
  /** `isWhole`: up to the newest transition. `forgotten`: see {@link Inspected}. */
  read(trace: RunTrace, isWhole: boolean, forgotten?: number): void;
  failed(error: unknown): void;
}

/** Browsers refuse a page that changes its address much more often. */
const addressMs = 300;

/**
 * The moment that all panes show, of what a feed reads.
 *
 * @param id the last part of its address
 * @param feed reads until it is stopped by what it returns
 */
export function inspected(id: string, feed: (reader: FeedReader) => () => void): Inspected {
  const trace = signal<RunTrace | null>(null);
  const forgotten = signal(0);
  const progress = signal({ read: 0, of: 0 });
  const error = signal<ClientError | null>(null);
  /** With those that are forgotten, as in the address. */
  const chosen = signal<number | null>(seqOfAddress());
  const contexts = { initial: trace.peek()?.initial, of: new Contexts() };
  const last = computed(() => readSeq(trace.value));
  const seq = computed(() => {
    if (chosen.value === null) return last.value;
    return Math.min(Math.max(1, chosen.value - forgotten.value), last.value);
  });
  /** What the address says, as far as this page wrote or read it. */
  let written = chosen.peek();
  let addressTimer: ReturnType<typeof setTimeout> | undefined;

  function write(): void {
    addressTimer = undefined;
    if (written === chosen.peek()) return;
    written = chosen.peek();
    setQuery({ seq: written });
  }

  function show(wanted: number | null): void {
    chosen.value =
      wanted === null ? null : Math.max(1, Math.min(Math.round(wanted), last.peek())) + forgotten.peek();
    addressTimer ??= setTimeout(write, addressMs);
  }

  return {
    trace,
    forgotten,
    progress,
    error,
    seq,
    transition: computed(() => trace.value?.transitions[seq.value - 1]),
    isAtHead: computed(() => chosen.value === null),
    show,
    step(by) {
      if (by > 0 && seq.peek() + by >= last.peek()) show(null);
      else show(seq.peek() + by);
    },
    contextAt(at) {
      if (trace.value === null) return null;
      const { initial } = trace.value;
      if (contexts.initial !== initial) Object.assign(contexts, { initial, of: new Contexts() });
      return contexts.of.at(trace.value, at);
    },
    follow() {
      const stopAddress = effect(() => {
        const { path, query } = place.value;
        if (!path.endsWith(encodeURIComponent(id)) || seqOf(query) === written) return;
        written = seqOf(query);
        chosen.value = written;
      });
      const stopFeed = feed({
        before: () => trace.peek(),
        read(next, isWhole, before = 0) {
          batch(() => {
            error.value = null;
            progress.value = { read: readSeq(next), of: next.lastSeq };
            if (!isWhole) return;
            trace.value = next;
            forgotten.value = before;
          });
        },
        failed(reason) {
          error.value = asClientError(reason);
        },
      });
      return () => {
        stopAddress();
        stopFeed();
        clearTimeout(addressTimer);
        addressTimer = undefined;
      };
    },
  };
}

function seqOfAddress(): number | null {
  return seqOf(place.peek().query);
}

function seqOf(query: URLSearchParams): number | null {
  const text = query.get('seq') ?? '';
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : null;
}
