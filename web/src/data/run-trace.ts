import type { JsonObject } from '#src/protocol/json.ts';
import {
  applyChanges,
  type RunTrace,
  type TracedSpan,
  type TracedTransition,
  type TracedWay,
} from '#src/protocol/views.ts';

/** What people read of a transition's event: in the names of its chart, if that is of a workflow. */
export function eventWords({ label, event }: Pick<TracedTransition, 'label' | 'event'>): string {
  return label ?? event.type;
}

/** Adds an answer of `run.trace` to those before it. */
export function joined(before: RunTrace | null, page: RunTrace): RunTrace {
  if (before === null) return { ...page, spans: inOrder(page.spans) };
  const last = before.transitions.at(-1)?.seq ?? 0;
  const spans = new Map([...before.spans, ...page.spans].map((span) => [span.id, span]));
  return {
    ...page,
    initial: before.initial,
    transitions: [...before.transitions, ...page.transitions.filter(({ seq }) => seq > last)],
    ways: { ...before.ways, ...page.ways },
    spans: inOrder([...spans.values()]),
  };
}

function inOrder(spans: readonly TracedSpan[]): TracedSpan[] {
  return [...spans].sort((a, b) => a.startedAt - b.startedAt || a.id - b.id);
}

/** The last transition that was read. */
export function readSeq(trace: RunTrace | null): number {
  return trace?.transitions.at(-1)?.seq ?? 0;
}

/** The paths of the states that held after a transition; before the first one, those that the run began in. */
export function pathsAt(trace: RunTrace, seq: number): readonly string[] {
  const to = seq < 1 ? trace.initial.path : wayAt(trace, seq)?.to;
  return to === undefined ? [] : typeof to === 'string' ? [to] : to;
}

export function wayAt({ transitions, ways }: RunTrace, seq: number): TracedWay | undefined {
  const transition = transitions[seq - 1];
  return transition && ways[transition.way];
}

/** So many transitions lie between two contexts that are kept. */
const stride = 64;

/** The contexts of a run, folded from the changes when they are asked for. */
export class Contexts {
  /** After the transitions 0, 64, 128, …: a log only grows, so they stay right. */
  readonly #kept: JsonObject[] = [];

  /** After a transition; null where the machine is not known, or the log does not agree with it. */
  at(trace: RunTrace, seq: number): JsonObject | null {
    const { initial, transitions, diverged } = trace;
    if (initial.context === null || (diverged && seq >= diverged.seq)) return null;
    if (this.#kept.length === 0) this.#kept.push(initial.context);
    let from = Math.min(Math.floor(seq / stride), this.#kept.length - 1);
    let context = this.#kept[from] ?? initial.context;
    for (let at = from * stride; at < seq; at++) {
      context = applyChanges(context, transitions[at]?.changes ?? {});
      if ((at + 1) % stride === 0) this.#kept[++from] = context;
    }
    return context;
  }
}
