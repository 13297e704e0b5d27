import { elapsed, timeOfDay } from '../../../base/format.ts';
import type { TimePiece } from './time-scale.ts';

export interface Tick {
  x: number;
  /** Null for a mark without words. */
  text: string | null;
}

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const steps = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((n) => n * second),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * minute),
  ...[1, 2, 3, 6, 12].map((n) => n * hour),
  ...[1, 2, 7, 14, 28].map((n) => n * day),
];
const leastGap = 84;

/**
 * The marks of the axis: the time since the run began; behind a break, the time of day, and from there on the time since then.
 */
export function ticksOf(pieces: readonly TimePiece[], runStart: number): Tick[] {
  return pieces.flatMap((piece, i) => {
    if (piece.isBreak) return [];
    return i === 0 || runStart === piece.from ? sinceStart(piece, runStart) : sinceBreak(piece);
  });
}

function sinceStart(piece: TimePiece, runStart: number): Tick[] {
  const step = stepOf(piece);
  const ticks: Tick[] = [];
  for (let ms = Math.ceil((piece.from - runStart) / step) * step; runStart + ms <= piece.to; ms += step)
    ticks.push({ x: xIn(piece, runStart + ms), text: elapsed(ms, digitsOf(step)) });
  return ticks;
}

function sinceBreak(piece: TimePiece): Tick[] {
  const ticks: Tick[] = [{ x: piece.x0, text: timeOfDay(piece.from, true) }];
  const step = stepOf(piece);
  for (let ms = step; piece.from + ms <= piece.to; ms += step)
    ticks.push({ x: xIn(piece, piece.from + ms), text: `+${elapsed(ms, digitsOf(step))}` });
  return ticks;
}

function stepOf({ from, to, x0, x1 }: TimePiece): number {
  const perMs = (x1 - x0) / Math.max(1, to - from);
  return steps.find((step) => step * perMs >= leastGap) ?? 56 * day;
}

function xIn({ from, to, x0, x1 }: TimePiece, at: number): number {
  return x0 + ((x1 - x0) * (at - from)) / Math.max(1, to - from);
}

/** How exactly a step of the axis is told, in digits behind the seconds. */
function digitsOf(step: number): number {
  if (step >= second) return 0;
  return step >= 100 ? 1 : step >= 10 ? 2 : 3;
}
