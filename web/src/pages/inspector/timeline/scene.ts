import type { RunTrace, TracedSpan } from '#src/protocol/views.ts';
import { pathsAt } from '../../../data/run-trace.ts';
import { leafOf, type StateKey } from '../../../parts/states.ts';
import { keyOfSpan, type Lane, type Rows, wordsOfSpan } from './lanes.ts';
import { inset, type NotchWindow, notchX } from './notches.ts';
import { type Tick, ticksOf } from './ticks.ts';
import { type TimePiece, timeScale, xOfTime } from './time-scale.ts';

export interface SceneNotch {
  seq: number;
  /** On the rail, and at its moment below. */
  x: number;
  timeX: number;
  key: StateKey;
}

export interface SceneBar {
  /** Null for a stay in a state. */
  span: TracedSpan | null;
  /** The transition that began it. */
  seq: number;
  key: StateKey;
  x: number;
  width: number;
  top: number;
  height: number;
  text: string;
  isFailed: boolean;
  /** It had ended, or was at work, at the shown moment. */
  isReached: boolean;
  /** A stay at whose end another process took the run over: for how long it was at work is not known. */
  isLeft?: boolean;
}

interface SceneBreak {
  x0: number;
  x1: number;
  ms: number;
}

/** All that the timeline draws, in pixels. */
export interface Scene {
  notches: SceneNotch[];
  bars: SceneBar[];
  breaks: SceneBreak[];
  ticks: Tick[];
  lanes: readonly Lane[];
}

export interface SceneParts {
  trace: RunTrace;
  keys: readonly StateKey[];
  seq: number;
  notches: NotchWindow;
  lanes: readonly Lane[];
  rows: Rows;
  width: number;
  /** The end of what goes on: now, or the last transition of a run that has ended. */
  until: number;
}

/** The part of a run that its notches cover, laid out. */
export function sceneOf(parts: SceneParts): Scene {
  const { trace, keys, seq, notches: shown, lanes, width, until } = parts;
  const { transitions, spans } = trace;
  const timeOf = (one: number) => transitions[one - 1]?.at ?? until;
  const from = timeOf(shown.first);
  const to = Math.max(from, shown.last < transitions.length ? timeOf(shown.last + 1) : until);
  const seen = spans.filter(({ startedAt, endedAt }) => startedAt <= to && (endedAt ?? until) >= from);
  const pieces = timeScale(from, to, workOf(seen, until), [inset, width - inset]);
  const seqs = Array.from({ length: shown.last - shown.first + 1 }, (_, i) => shown.first + i);
  const notches = seqs
    .filter((one) => one <= transitions.length)
    .map((one) => ({
      seq: one,
      x: notchX(one, shown, width),
      timeX: xOfTime(pieces, timeOf(one)),
      key: keys[one - 1] ?? ('idle' as const),
    }));
  const now = timeOf(seq);
  return {
    notches,
    bars: [...staysOf(parts, notches, pieces), ...barsOf(parts, seen, pieces, now)],
    breaks: pieces
      .filter(({ isBreak }) => isBreak)
      .map(({ x0, x1, from, to }) => ({ x0, x1, ms: to - from })),
    ticks: ticksOf(pieces, timeOf(1)),
    lanes,
  };
}

/** When something other than a person was at work. */
function workOf(spans: readonly TracedSpan[], until: number): [number, number][] {
  return spans
    .filter(({ lane }) => lane !== 'people')
    .map(({ startedAt, endedAt }) => [startedAt, endedAt ?? until]);
}

function staysOf(
  { seq, lanes, until, trace, width: end }: SceneParts,
  notches: SceneNotch[],
  pieces: TimePiece[],
) {
  const lane = lanes.find(({ name }) => name === 'state');
  if (!lane) return [];
  // The states of an agent's run are known by their colours; those of another machine have none, so they have their names.
  const textOf = (at: number) =>
    trace.machine.name === 'run' ? '' : pathsAt(trace, at).map(leafOf).join(', ');
  const bars = notches.flatMap((notch): SceneBar[] => {
    const next = trace.transitions[notch.seq];
    const x1 = xOfTime(pieces, next?.at ?? until);
    if (notch.seq === trace.transitions.length && trace.ended) return [];
    return [
      {
        span: null,
        seq: notch.seq,
        key: notch.key,
        x: notch.timeX,
        width: x1 - notch.timeX,
        top: lane.top,
        height: lane.rowHeight,
        text: textOf(notch.seq),
        isFailed: false,
        isReached: notch.seq <= seq,
        isLeft: next?.event.type === 'run.resumed' && next.event.isSameDriver !== true,
      },
    ];
  });
  return apart(bars, 2, end).map((bar) => ({ ...bar, width: Math.max(1, bar.width - 0.8) }));
}

function barsOf(
  { lanes, rows, until, width: end }: SceneParts,
  spans: readonly TracedSpan[],
  pieces: TimePiece[],
  now: number,
): SceneBar[] {
  const bars = spans.flatMap((span): SceneBar[] => {
    const lane = lanes.find(({ name }) => name === span.lane);
    if (!lane) return [];
    const x = xOfTime(pieces, span.startedAt);
    return [
      {
        span,
        seq: span.seq,
        key: keyOfSpan(span),
        x,
        width: xOfTime(pieces, span.endedAt ?? until) - x,
        top: lane.top + (rows.get(span.id) ?? 0) * lane.rowHeight,
        height: lane.rowHeight - (lane.rows > 1 ? 2 : 0),
        text: wordsOfSpan(span),
        isFailed: span.failed !== undefined,
        isReached: span.startedAt <= now,
      },
    ];
  });
  return [...Map.groupBy(bars, ({ top }) => top).values()].flatMap((row) => apart(row, 3, end));
}

/**
 * The bars of a row with so many pixels each, and none upon the beginning of another one: what took 20 ms stays visible beside a wait
 * of two days.
 *
 * @param bars in the order of time
 */
function apart(bars: readonly SceneBar[], least: number, end: number): SceneBar[] {
  let free = 0;
  const pushed = bars.map((bar) => {
    const x = Math.max(bar.x, free);
    free = x + least;
    return { ...bar, x, width: Math.max(least, bar.x + bar.width - x) };
  });
  let limit = end;
  for (const bar of pushed.toReversed()) {
    bar.x = Math.max(0, Math.min(bar.x, limit - least));
    limit = bar.x;
  }
  return pushed;
}

/** The bar at a point; of two that overlap, the one that is drawn above. Beside a small one, a point near it counts. */
export function barAt({ bars }: Scene, x: number, y: number): SceneBar | undefined {
  const inRow = bars.filter(({ top, height }) => y >= top && y <= top + height);
  return (
    inRow.findLast((bar) => x >= bar.x && x < bar.x + bar.width) ??
    inRow.findLast((bar) => x >= bar.x - 2 && x <= bar.x + Math.max(bar.width, 8))
  );
}
