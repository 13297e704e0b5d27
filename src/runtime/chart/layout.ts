import type {
  Box,
  ChartEdge,
  ChartState,
  LayoutEdge,
  MachineDefinition,
  MachineLayout,
  StateBox,
} from '../../protocol/views.ts';
import { Turns } from '../../text/limiter.ts';
import { allStates, edgesOf, spineOf } from './edges.ts';
import { isNearest, Labels, labelWidth } from './labels.ts';
import { type Landing, Lattice, type Spot, spotsOf } from './lattice.ts';
import { pitch, placesOf } from './places.ts';

/** Around everything: room for lines and labels. */
const margin = 80;
/** Of the paper in the end. */
const border = 16;
/** How far apart states are put, one try after the other, until all labels have room. */
const rooms = [1, 1.2, 1.5, 2, 2.6, 3.4];
/** A machine with more edges is drawn in few tries, its lines not always along the cheapest way. */
const manyEdges = 60;
/** How long a layout may take; that of a chart which people can read takes a hundredth of it. */
const usualTimeoutMs = 10_000;

/**
 * Lays a machine out: its states in columns, then each line along the cheapest way between them, then its label. A line for which
 * there is no way, or no time is left, goes straight across what lies between.
 */
export async function layoutOf(
  definition: MachineDefinition,
  timeoutMs = usualTimeoutMs,
): Promise<MachineLayout> {
  // A machine without states has nothing that an edge could lead to.
  const edges = definition.states.length === 0 ? [] : edgesOf(definition);
  const isLarge = edges.length > manyEdges;
  const tries = isLarge ? rooms.slice(2, 3) : rooms;
  const turns = new LimitedTurns(timeoutMs);
  for (const [i, room] of tries.entries()) {
    const drawing = new Drawing(definition, edges, room, isLarge ? 2 : 1);
    const layout = await drawing.draw(turns, i === tries.length - 1);
    if (layout) return layout;
  }
  throw new Error('the last try draws every line');
}

/** Turns for other work, until no time is left. */
class LimitedTurns extends Turns {
  readonly #end: number;

  constructor(timeoutMs: number) {
    super();
    this.#end = this.since + timeoutMs;
  }

  get isLate(): boolean {
    return this.since > this.#end;
  }
}

class Drawing {
  readonly #definition: MachineDefinition;
  readonly #edges: readonly ChartEdge[];
  readonly #states: ReadonlyMap<string, ChartState>;
  readonly #boxes: Record<string, StateBox>;
  readonly #lattice: Lattice;
  readonly #labels: Labels;
  /** Where lines begin or end: no two at one spot. */
  readonly #landed = new Set<string>();

  constructor(definition: MachineDefinition, edges: readonly ChartEdge[], room: number, greed: number) {
    this.#definition = definition;
    this.#edges = edges;
    this.#states = new Map(allStates(definition.states).map((state) => [state.id, state]));
    const placed = placesOf(definition, edges, room, ({ label }) => labelWidth(label));
    this.#boxes = Object.fromEntries(
      Object.entries(placed).map(([id, box]) => [id, { ...box, x: box.x + margin, y: box.y + margin }]),
    );
    const size = boundsOf(Object.values(this.#boxes));
    this.#lattice = new Lattice({ width: size.right + margin, height: size.bottom + margin }, greed);
    const taken: Box[] = [];
    for (const [id, box] of Object.entries(this.#boxes)) {
      const state = this.#states.get(id) as ChartState;
      if (state.states.length === 0) {
        this.#lattice.addBox(box);
        taken.push(box);
      } else {
        this.#lattice.addFrame(box);
        const title = { x: box.x + 4, y: box.y + 2, width: state.key.length * 7 + 12, height: 20 };
        this.#lattice.addWords(title);
        taken.push(title);
      }
    }
    this.#labels = new Labels(this.#lattice, taken);
  }

  /** Null when a label has no room at its line, unless it may stand somewhere else. */
  async draw(turns: LimitedTurns, isLastTry: boolean): Promise<MachineLayout | null> {
    const spine = spineOf(this.#definition, this.#edges);
    const lines = new Map<string, LayoutEdge>();
    for (const edge of this.#inOrder(spine)) {
      await turns.next();
      const enters = this.#entered(edge.to);
      const found = turns.isLate ? null : this.#lineOf(edge, enters);
      if (!found && !turns.isLate && !isLastTry) return null;
      const line = found ?? this.#straight(edge.from, enters);
      // Other lines need not keep away from one that crosses everything.
      if (found) this.#lattice.addLine(line);
      for (const spot of [line[0], line.at(-1)]) if (spot) this.#landed.add(`${spot.x} ${spot.y}`);
      const points = line.map(({ x, y }) => ({ x: x * pitch, y: y * pitch }));
      const { label: text, ...rest } = edge;
      const label = found
        ? (this.#labels.place(text, points) ?? (isLastTry ? this.#below(text) : null))
        : this.#amid(text, points);
      if (!label) return null;
      lines.set(edge.id, {
        ...rest,
        enters,
        points,
        label: { ...label, text },
        isOnSpine: spine.has(edge.id),
      });
    }
    return this.#framed(this.#edges.map(({ id }) => this.#besideItsLine(lines.get(id) as LayoutEdge, lines)));
  }

  /** Lines that were drawn later may have come nearer to a label than its own: it moves. */
  #besideItsLine(edge: LayoutEdge, lines: ReadonlyMap<string, LayoutEdge>): LayoutEdge {
    const { id, label, points } = edge;
    const others = [...lines.values()].filter((one) => one.id !== id).map((one) => one.points);
    if (isNearest(label, points, others)) return edge;
    const box = this.#labels.moved(label, label.text, points, others);
    return box === null ? edge : { ...edge, label: { ...box, text: label.text } };
  }

  /** The spine first, then short ones: long ones find a way around them. */
  #inOrder(spine: ReadonlySet<string>): ChartEdge[] {
    const length = ({ id, from, to }: ChartEdge) => {
      const [a, b] = [this.#boxes[from], this.#boxes[this.#entered(to)]];
      if (!a || !b || from === '') return 0;
      return (spine.has(id) ? 0 : 10_000) + apart(a, b);
    };
    return this.#edges.toSorted((a, b) => length(a) - length(b));
  }

  /** Who enters the machine itself enters what it begins with; of parallel states the first. */
  #entered(id: string): string {
    const { initial, states } = this.#definition;
    const state = this.#states.get(id);
    const inner = id === '' ? (initial ?? states[0]?.id) : state?.type === 'compound' ? state.initial : null;
    return inner == null ? id : this.#entered(inner);
  }

  #lineOf({ from, to }: ChartEdge, enters: string): Spot[] | null {
    const target = this.#boxes[enters] as StateBox;
    const source = this.#boxes[from];
    if (!source) return this.#fromNowhere(target);
    const isInto = enters !== from && enters.startsWith(`${from}.`);
    const isOut = from !== enters && from.startsWith(`${enters}.`);
    const side = sideOf(source, target);
    const begins = this.#landings(source, isInto ? 'in' : 'out', side);
    const ends = this.#landings(target, isOut ? 'out' : 'in', side);
    const [apartBegins, apartEnds] =
      from === enters || to === from ? this.#loop(begins, ends, source) : [begins, ends];
    return (
      this.#lattice.route(apartBegins, apartEnds, false) ?? this.#lattice.route(apartBegins, apartEnds, true)
    );
  }

  /** From nowhere: the machine itself takes the transition in any state. */
  #fromNowhere(target: StateBox): Spot[] | null {
    const ends = this.#landings(target, 'in').filter(({ direction }) => direction === 2);
    const end = ends[Math.floor(ends.length / 2)];
    return end
      ? [
          { x: end.x + 4, y: end.y },
          { x: end.x, y: end.y },
        ]
      : null;
  }

  /** A line back to its own state leaves it at the top, and comes back at a side. */
  #loop(begins: readonly Landing[], ends: readonly Landing[], source: Box): [Landing[], Landing[]] {
    const { right, top } = spotsOf(source);
    return [
      begins.filter(({ direction, x }) => direction === 3 && x <= right - 2),
      ends.filter(({ direction, y }) => direction !== 1 && y >= top + 1),
    ];
  }

  /** The free spots on the border of a box. */
  #landings(box: StateBox, way: 'in' | 'out', side = 0): Landing[] {
    const { left, top, right, bottom } = spotsOf(box);
    const isTall = box.orientation === 'vertical';
    const landings: Landing[] = [];
    const add = (x: number, y: number, outward: number, fromMiddle: number) => {
      if (this.#landed.has(`${x} ${y}`) || this.#lattice.hasLine({ x, y })) return;
      const direction = way === 'out' ? outward : (outward + 2) % 4;
      landings.push({ x, y, direction, cost: isTall ? 0 : fromMiddle * 0.3 });
    };
    const middleY = (top + bottom) / 2;
    const middleX = (left + right) / 2 + side * ((right - left) / 2 - 1);
    for (let y = top + 1; y < bottom; y++) {
      add(right, y, 0, Math.abs(y - middleY));
      add(left, y, 2, Math.abs(y - middleY));
    }
    for (let x = left + 1; x < right; x++) {
      add(x, bottom, 1, Math.abs(x - middleX));
      add(x, top, 3, Math.abs(x - middleX));
    }
    return landings;
  }

  /** From border to border. */
  #straight(from: string, to: string): Spot[] {
    const target = spotsOf(this.#boxes[to] as StateBox);
    const source = this.#boxes[from] ? spotsOf(this.#boxes[from]) : null;
    const end = { x: target.left, y: Math.round((target.top + target.bottom) / 2) };
    if (!source) return [{ x: end.x - 4, y: end.y }, end];
    if (from !== to) return [{ x: source.right, y: Math.round((source.top + source.bottom) / 2) }, end];
    const [x, y] = [source.right - 1, source.top];
    return [
      { x: x - 1, y },
      { x: x - 1, y: y - 2 },
      { x, y: y - 2 },
      { x, y },
    ];
  }

  #amid(text: string, points: readonly { x: number; y: number }[]): Box {
    const [a, b] = [points[0], points.at(-1)];
    const width = labelWidth(text);
    const middle = (one = 0, other = 0) => (one + other) / 2;
    return { x: middle(a?.x, b?.x) - width / 2, y: middle(a?.y, b?.y) - 8, width, height: 16 };
  }

  #below(text: string): Box {
    const box = { x: margin, y: this.#labels.bottom + 8, width: labelWidth(text), height: 16 };
    this.#labels.take(box);
    return box;
  }

  /** Moved so that the paper fits. */
  #framed(edges: LayoutEdge[]): MachineLayout {
    const points = edges.flatMap((edge) => edge.points.map((point) => ({ ...point, width: 0, height: 0 })));
    const { left, top, right, bottom } = boundsOf([
      ...Object.values(this.#boxes),
      ...edges.map(({ label }) => label),
      ...points,
    ]);
    const [dx, dy] = [border - left, border - top];
    const moved = <T extends { x: number; y: number }>(one: T): T => ({
      ...one,
      x: one.x + dx,
      y: one.y + dy,
    });
    const { name, version, hash } = this.#definition;
    return {
      name,
      version,
      hash,
      width: right - left + 2 * border,
      height: bottom - top + 2 * border,
      states: Object.fromEntries(Object.entries(this.#boxes).map(([id, box]) => [id, moved(box)])),
      edges: edges.map((edge) => ({ ...edge, points: edge.points.map(moved), label: moved(edge.label) })),
    };
  }
}

/** Of two states above each other: lines down keep to the left, lines up to the right. Otherwise 0, the middle. */
function sideOf(a: Box, b: Box): number {
  const isAbove = a.x < b.x + b.width && b.x < a.x + a.width && apart(a, b) > 0;
  return isAbove ? Math.sign(a.y - b.y) : 0;
}

function apart(a: Box, b: Box): number {
  return (
    Math.max(0, a.x - b.x - b.width, b.x - a.x - a.width) +
    Math.max(0, a.y - b.y - b.height, b.y - a.y - a.height)
  );
}

function boundsOf(boxes: readonly Box[]) {
  if (boxes.length === 0) return { left: 0, top: 0, right: 0, bottom: 0 };
  return {
    left: Math.min(...boxes.map(({ x }) => x)),
    top: Math.min(...boxes.map(({ y }) => y)),
    right: Math.max(...boxes.map(({ x, width }) => x + width)),
    bottom: Math.max(...boxes.map(({ y, height }) => y + height)),
  };
}
