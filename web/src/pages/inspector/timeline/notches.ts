/** The transitions that have a notch of their own, from the first to the last. */
export interface NotchWindow {
  first: number;
  last: number;
}

/** From the ends of the rail to its first and last notch; half the width of the slider's thumb. */
export const inset = 14;
/** Notches nearer to each other could not be told apart. */
const leastGap = 22;

/** How many notches a rail of this width has. */
export function notchesIn(width: number): number {
  return Math.max(5, Math.floor((width - 2 * inset) / leastGap) + 1);
}

/**
 * The notches around a transition: all of a short run. Of a long one, those before stay as long as the transition has company on both sides,
 * so that the ball moves and not the rail.
 */
export function notchesAround(
  total: number,
  seq: number,
  size: number,
  before: NotchWindow | null,
): NotchWindow {
  if (total <= size) return { first: 1, last: Math.max(1, total) };
  const company = Math.floor(size / 6);
  const isKept =
    before !== null &&
    before.last - before.first + 1 === size &&
    before.last <= total &&
    (seq >= before.first + company || before.first === 1) &&
    (seq <= before.last - company || before.last === total) &&
    seq >= before.first &&
    seq <= before.last;
  if (isKept) return before;
  const first = Math.min(Math.max(1, seq - Math.floor(size / 2)), total - size + 1);
  return { first, last: first + size - 1 };
}

/** Where the notch of a transition is. */
export function notchX(seq: number, { first, last }: NotchWindow, width: number): number {
  if (last === first) return width / 2;
  return inset + ((width - 2 * inset) * (seq - first)) / (last - first);
}

/** The transition whose notch is nearest. */
export function seqAt(x: number, { first, last }: NotchWindow, width: number): number {
  const share = (x - inset) / Math.max(1, width - 2 * inset);
  return Math.min(last, Math.max(first, first + Math.round(share * (last - first))));
}
