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

function staysOf({ seq, lanes, until, trace }: SceneParts, notches: SceneNotch[], pieces: TimePiece[]) {
  const lane = lanes.find(({ name }) => name === 'state');
  if (!lane) return [];
  // The states of an agent's run are known by their colours; those of another machine have none, so they have their names.
  const textOf = (at: number) =>
    trace.machine.name === 'run' ? '' : pathsAt(trace, at).map(leafOf).join(', ');
  return notches.flatMap((notch): SceneBar[] => {
    const end = trace.transitions[notch.seq]?.at ?? until;
    const x1 = xOfTime(pieces, end);
    if (notch.seq === trace.transitions.length && trace.ended) return [];
    return [
      {
        span: null,
        seq: notch.seq,
        key: notch.key,
        x: notch.timeX,
        width: Math.max(1, x1 - notch.timeX - 0.8),
        top: lane.top,
        height: lane.rowHeight,
        text: textOf(notch.seq),
        isFailed: false,
        isReached: notch.seq <= seq,
      },
    ];
  });
}

function barsOf(
  { lanes, rows, until }: SceneParts,
  spans: readonly TracedSpan[],
  pieces: TimePiece[],
  now: number,
): SceneBar[] {
  return spans.flatMap((span): SceneBar[] => {
    const lane = lanes.find(({ name }) => name === span.lane);
    if (!lane) return [];
    const x = xOfTime(pieces, span.startedAt);
    return [
      {
        span,
        seq: span.seq,
        key: keyOfSpan(span),
        x,
        width: Math.max(3, xOfTime(pieces, span.endedAt ?? until) - x),
        top: lane.top + (rows.get(span.id) ?? 0) * lane.rowHeight,
        height: lane.rowHeight - (lane.rows > 1 ? 2 : 0),
        text: wordsOfSpan(span),
        isFailed: span.failed !== undefined,
        isReached: span.startedAt <= now,
      },
    ];
  });
}

/** The bar at a point; of two that overlap, the one that is drawn above. */
export function barAt({ bars }: Scene, x: number, y: number): SceneBar | undefined {
  return bars.findLast(
    (bar) =>
      x >= bar.x - 2 && x <= bar.x + Math.max(bar.width, 8) && y >= bar.top && y <= bar.top + bar.height,
  );
}
