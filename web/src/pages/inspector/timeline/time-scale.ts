/** A part of the axis. Time within a break is not to scale. */
export interface TimePiece {
  from: number;
  to: number;
  x0: number;
  x1: number;
  isBreak: boolean;
}

type Interval = readonly [from: number, to: number];

/** Waits shorter than this are always to scale. */
const leastBreakMs = 1_000;
/** All waits together may take so many times as much room as the work before they are cut. */
const patience = 1.5;
const breakWidth = { least: 18, most: 72 };

/**
 * Maps time to pixels, from `x0` to `x1`. When waits would leave the work too little room, the longest of them become breaks: the next
 * morning must not hide what happened in the two seconds before and after.
 *
 * @param work when something was at work; what lies between was waiting
 */
export function timeScale(
  from: number,
  to: number,
  work: readonly Interval[],
  [x0, x1]: Interval,
): TimePiece[] {
  const end = Math.max(to, from + 1);
  const waits = between(work, from, end);
  const breaks = breaksOf(waits, end - from - total(waits));
  const width = breaks.length === 0 ? 0 : breakWidthOf(breaks.length, x1 - x0);
  const perMs = (x1 - x0 - breaks.length * width) / Math.max(1, end - from - total(breaks));
  const pieces: TimePiece[] = [];
  let at = from;
  let x = x0;
  const add = (until: number, length: number, isBreak: boolean) => {
    if (until > at || isBreak) pieces.push({ from: at, to: until, x0: x, x1: x + length, isBreak });
    at = until;
    x += length;
  };
  for (const [start, stop] of breaks) {
    add(start, (start - at) * perMs, false);
    add(stop, width, true);
  }
  add(end, x1 - x, false);
  return pieces;
}

/** Where a moment is; before and after all pieces, at their ends. */
export function xOfTime(pieces: readonly TimePiece[], at: number): number {
  const piece = pieces.find(({ to }) => at <= to) ?? pieces.at(-1);
  if (!piece) return 0;
  const share = Math.min(1, Math.max(0, (at - piece.from) / Math.max(1, piece.to - piece.from)));
  return piece.x0 + (piece.x1 - piece.x0) * share;
}

/** What no interval covers. */
function between(work: readonly Interval[], from: number, to: number): Interval[] {
  const waits: Interval[] = [];
  let at = from;
  for (const [start, stop] of [...work].sort(([a], [b]) => a - b)) {
    if (start > at && at < to) waits.push([at, Math.min(start, to)]);
    at = Math.max(at, stop);
  }
  if (at < to) waits.push([at, to]);
  return waits;
}

/** The waits that are cut: the longest ones, until the others have at most as much room as the work. */
function breaksOf(waits: readonly Interval[], workMs: number): Interval[] {
  if (workMs <= 0 || total(waits) <= patience * workMs) return [];
  const lengths = waits.map(([from, to]) => to - from).sort((a, b) => a - b);
  let room = workMs;
  let longest = leastBreakMs;
  for (const [i, length] of lengths.entries()) {
    const share = room / (lengths.length - i);
    if (length > share) {
      longest = Math.max(share, leastBreakMs);
      break;
    }
    room -= length;
  }
  return waits.filter(([from, to]) => to - from > longest);
}

function breakWidthOf(count: number, width: number): number {
  return Math.min(breakWidth.most, Math.max(breakWidth.least, width / 2 / count), width / (count + 1));
}

function total(intervals: readonly Interval[]): number {
  return intervals.reduce((sum, [from, to]) => sum + to - from, 0);
}
