import type { Box } from '../../protocol/views.ts';
import type { Lattice, Spot } from './lattice.ts';

/** Letters of a label take 5.8 pixels on average; behind each label is room for a number of two digits. */
const letter = 5.8;
const labelHeight = 15;
const numberWidth = 18;

export const labelWidth = (text: string) => Math.ceil(text.length * letter) + numberWidth;

/** Finds room for the labels of lines: beside their line, upon no state, no title and no other label. */
export class Labels {
  readonly #lattice: Lattice;
  /** What no label may lie upon. */
  readonly #taken: Box[];

  constructor(lattice: Lattice, taken: readonly Box[]) {
    this.#lattice = lattice;
    this.#taken = [...taken];
  }

  /** Null if there is no room at the line. */
  place(text: string, line: readonly Spot[]): Box | null {
    const box = this.#best(text, line, () => true);
    if (box) this.take(box);
    return box;
  }

  /** A box for a label that is nearer to another line than to its own, where it is not; null if there is no room for it. */
  moved(box: Box, text: string, line: readonly Spot[], others: readonly (readonly Spot[])[]): Box | null {
    const at = this.#taken.findIndex(({ x, y }) => x === box.x && y === box.y);
    const [old = box] = at < 0 ? [] : this.#taken.splice(at, 1);
    const better = this.#best(text, line, (one) => isNearest(one, line, others));
    this.#taken.push(better ?? old);
    return better;
  }

  #best(text: string, line: readonly Spot[], mayStand: (box: Box) => boolean): Box | null {
    const width = labelWidth(text);
    let best: { box: Box; cost: number } | null = null;
    let before = 0;
    for (const [i, to] of line.entries()) {
      const from = line[i - 1];
      if (!from) continue;
      const length = Math.abs(to.x - from.x) + Math.abs(to.y - from.y);
      for (const { box, cost } of candidates(from, to, width)) {
        if (this.#taken.some((other) => overlap(box, other, 1))) continue;
        // Near its beginning a label says what is left, and where.
        const whole = cost + this.#lattice.linesIn(box) * 4 + before * 0.02;
        if ((!best || whole < best.cost) && mayStand(box)) best = { box, cost: whole };
      }
      before += length;
    }
    return best?.box ?? null;
  }

  take(box: Box): void {
    this.#taken.push(box);
    this.#lattice.addWords(box);
  }

  /** Below all that is drawn. */
  get bottom(): number {
    return Math.max(0, ...this.#taken.map(({ y, height }) => y + height));
  }
}

function* candidates(from: Spot, to: Spot, width: number): Generator<{ box: Box; cost: number }> {
  const isFlat = from.y === to.y;
  const [low, high] = isFlat
    ? [Math.min(from.x, to.x), Math.max(from.x, to.x)]
    : [Math.min(from.y, to.y), Math.max(from.y, to.y)];
  const length = isFlat ? width : labelHeight;
  const over = Math.max(0, length - (high - low));
  for (let at = low - over; at <= Math.max(low, high - length) + over + 0.1; at += 5) {
    // The middle of a short line, the beginning of a long one.
    const centre = at + length / 2;
    const away = Math.abs(centre - (isFlat ? from.x : from.y)) * 0.02 + over * 0.1;
    if (isFlat) {
      yield { box: { x: at, y: from.y - labelHeight - 1, width, height: labelHeight }, cost: away };
      yield { box: { x: at, y: from.y + 2, width, height: labelHeight }, cost: away + 1 };
    } else {
      yield { box: { x: from.x + 4, y: at, width, height: labelHeight }, cost: away + 2 };
      yield { box: { x: from.x - 4 - width, y: at, width, height: labelHeight }, cost: away + 3 };
    }
  }
}

/** Whether no other line is nearer to a label than its own. */
export function isNearest(box: Box, line: readonly Spot[], others: readonly (readonly Spot[])[]): boolean {
  const own = distance(box, line);
  return others.every((other) => distance(box, other) >= own);
}

/** From a box to a line of pieces along the axes. */
function distance({ x, y, width, height }: Box, line: readonly Spot[]): number {
  const pieces = line.slice(1).map((to, i) => {
    const from = line[i] as Spot;
    const dx = Math.max(0, Math.min(from.x, to.x) - x - width, x - Math.max(from.x, to.x));
    const dy = Math.max(0, Math.min(from.y, to.y) - y - height, y - Math.max(from.y, to.y));
    return Math.hypot(dx, dy);
  });
  return Math.min(...pieces);
}

function overlap(a: Box, b: Box, margin = 0): boolean {
  return (
    a.x < b.x + b.width + margin &&
    b.x < a.x + a.width + margin &&
    a.y < b.y + b.height + margin &&
    b.y < a.y + a.height + margin
  );
}
