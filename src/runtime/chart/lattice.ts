import type { Box } from '../../protocol/views.ts';
import { pitch } from './places.ts';

/** A point of the lattice, in steps of it. */
export interface Spot {
  x: number;
  y: number;
}

/** What a step costs, in steps. */
const costs = {
  bend: 3,
  /** Across another line. */
  crossing: 4,
  /** Across the border of a state that has others inside. */
  border: 1,
  /** Right beside a box. */
  beside: 1,
  /** Over a title or a label. */
  words: 30,
  /** Upon another line, where nothing else is left. */
  overlap: 60,
};

const directions = [
  { x: 1, y: 0 },
  { x: 0, y: 1 },
  { x: -1, y: 0 },
  { x: 0, y: -1 },
] as const;

/** Where a line begins or ends: a spot on a border, and the direction in which it goes there. */
export interface Landing extends Spot {
  /** Index of {@link directions}. */
  direction: number;
  cost: number;
}

/** What stands at a spot. */
const flags = {
  box: 1,
  beside: 2,
  words: 4,
  borderX: 8,
  borderY: 16,
  lineX: 32,
  lineY: 64,
  corner: 128,
} as const;

/** The paper that lines are drawn on: where boxes, words and other lines are. */
export class Lattice {
  readonly width: number;
  readonly height: number;
  readonly #marks: Uint8Array;
  /** Of the search for a line, by the state: a spot, and the direction in which a line comes there. */
  readonly #costs: Float64Array;
  readonly #cameFrom: Int32Array;
  readonly #greed: number;

  /**
   * @param size in pixels.
   * @param greed 1 finds the cheapest lines; more finds good ones much faster.
   */
  constructor(size: { width: number; height: number }, greed = 1) {
    this.width = Math.ceil(size.width / pitch) + 1;
    this.height = Math.ceil(size.height / pitch) + 1;
    const spots = this.width * this.height;
    this.#marks = new Uint8Array(spots);
    this.#costs = new Float64Array(spots * 4);
    this.#cameFrom = new Int32Array(spots * 4);
    this.#greed = greed;
  }

  /** A state without others inside: no line goes through it. */
  addBox(box: Box): void {
    const { left, top, right, bottom } = spotsOf(box);
    for (let y = top - 1; y <= bottom + 1; y++)
      for (let x = left - 1; x <= right + 1; x++) {
        const isInside = x >= left && x <= right && y >= top && y <= bottom;
        this.#mark(x, y, isInside ? flags.box : flags.beside);
      }
  }

  /** A state with others inside: lines cross its border straight. */
  addFrame(box: Box): void {
    const { left, top, right, bottom } = spotsOf(box);
    for (let x = left; x <= right; x++) for (const y of [top, bottom]) this.#mark(x, y, flags.borderX);
    for (let y = top; y <= bottom; y++) for (const x of [left, right]) this.#mark(x, y, flags.borderY);
  }

  /** Words that lines better keep away from. */
  addWords(box: Box): void {
    for (let y = Math.ceil(box.y / pitch); y * pitch <= box.y + box.height; y++)
      for (let x = Math.ceil(box.x / pitch); x * pitch <= box.x + box.width; x++)
        this.#mark(x, y, flags.words);
  }

  addLine(line: readonly Spot[]): void {
    for (const [i, to] of line.entries()) {
      const from = line[i - 1];
      if (!from) continue;
      const [dx, dy] = [Math.sign(to.x - from.x), Math.sign(to.y - from.y)];
      const flag = dx === 0 ? flags.lineY : flags.lineX;
      for (let { x, y } = from; ; x += dx, y += dy) {
        this.#mark(x, y, flag);
        if (x === to.x && y === to.y) break;
      }
    }
    for (const { x, y } of line.slice(1, -1)) this.#mark(x, y, flags.corner);
  }

  /** How many lines a box lies upon, and borders. */
  linesIn(box: Box): number {
    let lines = 0;
    for (let y = Math.ceil(box.y / pitch); y * pitch <= box.y + box.height; y++)
      for (let x = Math.ceil(box.x / pitch); x * pitch <= box.x + box.width; x++)
        if ((this.#at(x, y) & (flags.lineX | flags.lineY | flags.borderX | flags.borderY)) !== 0) lines++;
    return lines;
  }

  hasLine({ x, y }: Spot): boolean {
    return (this.#at(x, y) & (flags.lineX | flags.lineY)) !== 0;
  }

  /** The cheapest line from one of the beginnings to one of the ends, with its corners; null if there is none. */
  route(begins: readonly Landing[], ends: readonly Landing[], mayOverlap: boolean): Spot[] | null {
    // A state with many edges has no free spot on its border left.
    if (begins.length === 0 || ends.length === 0) return null;
    const goals = new Map(ends.map((end) => [this.#state(end.x, end.y, end.direction), end.cost]));
    const costOf = this.#costs.fill(Number.POSITIVE_INFINITY);
    const cameFrom = this.#cameFrom.fill(-1);
    const greed = this.#greed;
    const queue = new Queue();
    const goalBox = boundsOf(ends);
    const left = (x: number, y: number) =>
      greed *
      (Math.max(0, goalBox.left - x, x - goalBox.right) + Math.max(0, goalBox.top - y, y - goalBox.bottom));
    for (const { x, y, direction, cost } of begins) {
      const state = this.#state(x, y, direction);
      if (cost >= (costOf[state] ?? 0)) continue;
      costOf[state] = cost;
      queue.add(state, cost + left(x, y));
    }
    let best: { state: number; cost: number } | null = null;
    const isBegin = new Set(begins.map(({ x, y, direction }) => this.#state(x, y, direction)));
    for (let entry = queue.take(); entry; entry = queue.take()) {
      const { state, estimate } = entry;
      if (best && estimate >= best.cost) break;
      const cost = costOf[state] as number;
      const last = goals.get(state);
      if (last !== undefined && !isBegin.has(state) && (!best || cost + last < best.cost))
        best = { state, cost: cost + last };
      const direction = state % 4;
      const spot = Math.floor(state / 4);
      const [x, y] = [spot % this.width, Math.floor(spot / this.width)];
      const isOnBorder = isBegin.has(state);
      for (const turn of isOnBorder ? [0] : [0, 1, 3]) {
        const next = (direction + turn) % 4;
        if (turn !== 0 && !this.#mayBend(x, y, mayOverlap)) continue;
        const { x: dx, y: dy } = directions[next] as Spot;
        const [nx, ny] = [x + dx, y + dy];
        if (nx < 0 || ny < 0 || nx >= this.width || ny >= this.height) continue;
        const to = this.#state(nx, ny, next);
        const step = this.#stepCost(nx, ny, next, mayOverlap, goals.has(to));
        if (step === null) continue;
        const whole = cost + step + (turn === 0 ? 0 : costs.bend);
        if (whole >= (costOf[to] as number)) continue;
        costOf[to] = whole;
        cameFrom[to] = state;
        queue.add(to, whole + left(nx, ny));
      }
    }
    return best && this.#lineTo(best.state, cameFrom);
  }

  #lineTo(state: number, cameFrom: Int32Array): Spot[] {
    const line: Spot[] = [];
    for (let at = state; at !== -1; at = cameFrom[at] as number) {
      const spot = Math.floor(at / 4);
      line.push({ x: spot % this.width, y: Math.floor(spot / this.width) });
    }
    return withoutStraight(line.reverse());
  }

  #stepCost(x: number, y: number, direction: number, mayOverlap: boolean, isGoal: boolean): number | null {
    const marks = this.#at(x, y);
    if (isGoal) return 1;
    if ((marks & flags.box) !== 0) return null;
    const isFlat = direction % 2 === 0;
    // Along a border.
    if ((marks & (isFlat ? flags.borderX : flags.borderY)) !== 0) return null;
    let cost = 1;
    if ((marks & (isFlat ? flags.lineX : flags.lineY)) !== 0 || (marks & flags.corner) !== 0) {
      if (!mayOverlap) return null;
      cost += costs.overlap;
    } else if ((marks & (flags.lineX | flags.lineY)) !== 0) cost += costs.crossing;
    if ((marks & (flags.borderX | flags.borderY)) !== 0) cost += costs.border;
    if ((marks & flags.beside) !== 0) cost += costs.beside;
    if ((marks & flags.words) !== 0) cost += costs.words;
    return cost;
  }

  #mayBend(x: number, y: number, mayOverlap: boolean): boolean {
    const marks = this.#at(x, y);
    if ((marks & (flags.borderX | flags.borderY)) !== 0) return false;
    return mayOverlap || (marks & (flags.lineX | flags.lineY)) === 0;
  }

  #state(x: number, y: number, direction: number): number {
    return (y * this.width + x) * 4 + direction;
  }

  #at(x: number, y: number): number {
    return this.#marks[y * this.width + x] ?? 0;
  }

  #mark(x: number, y: number, flag: number): void {
    if (x < 0 || y < 0 || x >= this.width || y >= this.height) return;
    const at = y * this.width + x;
    this.#marks[at] = (this.#marks[at] ?? 0) | flag;
  }
}

/** A box in steps of the lattice. */
export function spotsOf({ x, y, width, height }: Box) {
  return {
    left: Math.round(x / pitch),
    top: Math.round(y / pitch),
    right: Math.round((x + width) / pitch),
    bottom: Math.round((y + height) / pitch),
  };
}

function boundsOf(spots: readonly Spot[]) {
  const xs = spots.map(({ x }) => x);
  const ys = spots.map(({ y }) => y);
  return { left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) };
}

function withoutStraight(line: Spot[]): Spot[] {
  return line.filter((spot, i) => {
    const [before, after] = [line[i - 1], line[i + 1]];
    if (!before || !after) return true;
    return (before.x !== spot.x || spot.x !== after.x) && (before.y !== spot.y || spot.y !== after.y);
  });
}

/** A binary heap: the state with the smallest estimate comes first. */
class Queue {
  readonly #states: number[] = [];
  readonly #estimates: number[] = [];

  add(state: number, estimate: number): void {
    let at = this.#states.push(state) - 1;
    this.#estimates.push(estimate);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if ((this.#estimates[parent] as number) <= estimate) break;
      this.#swap(at, parent);
      at = parent;
    }
  }

  take(): { state: number; estimate: number } | undefined {
    const [state] = this.#states;
    const [estimate] = this.#estimates;
    if (state === undefined || estimate === undefined) return undefined;
    const lastState = this.#states.pop() as number;
    const last = this.#estimates.pop() as number;
    const { length } = this.#states;
    if (length > 0) {
      this.#states[0] = lastState;
      this.#estimates[0] = last;
    }
    for (let at = 0; ; ) {
      let least = at;
      for (let child = 2 * at + 1; child <= 2 * at + 2 && child < length; child++)
        if ((this.#estimates[child] as number) < (this.#estimates[least] as number)) least = child;
      if (least === at) return { state, estimate };
      this.#swap(at, least);
      at = least;
    }
  }

  #swap(a: number, b: number): void {
    const [states, estimates] = [this.#states, this.#estimates];
    const state = states[a] as number;
    const estimate = estimates[a] as number;
    states[a] = states[b] as number;
    estimates[a] = estimates[b] as number;
    states[b] = state;
    estimates[b] = estimate;
  }
}
