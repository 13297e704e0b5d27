import type {
  Box,
  ChartState,
  ChartTransition,
  LayoutEdge,
  MachineDefinition,
  MachineLayout,
} from '#src/protocol/views.ts';
import { keyOfPath, type StateKey } from '../states.ts';

/** A state as it is drawn. */
export interface DrawnState extends Box {
  id: string;
  /** Its name, in one line or several. */
  title: readonly string[];
  key: StateKey;
  /** Others lie within it. */
  isParent: boolean;
  type: ChartState['type'];
  /** Its parent, or the machine, begins in it. */
  isInitial: boolean;
  /** The box is narrow: the title is written upwards. */
  isVertical: boolean;
  description: string | undefined;
}

/** All transitions between two states, as they are drawn. */
export interface DrawnEdge {
  id: string;
  from: string;
  to: string;
  line: string;
  head: string;
  /** `width` is its room, with that for a number behind it. `endsAtLine`: its line is on the right of it. */
  label: { x: number; y: number; width: number; text: string; endsAtLine: boolean };
  /** In the order in which the machine tries them. */
  transitions: ChartTransition[];
}

export interface Drawing {
  width: number;
  height: number;
  /** Parents before the states within them. */
  states: DrawnState[];
  edges: DrawnEdge[];
}

/**
 * What is drawn of a machine: its layout, with the words of its definition.
 *
 * @param isOwn the machine is one of Detent's, whose states have shapes
 */
export function drawingOf(
  layout: MachineLayout,
  definition: MachineDefinition | null,
  isOwn: boolean,
): Drawing {
  const described = new Map(allStates(definition?.states ?? []).map((state) => [state.id, state]));
  const own = [...described.values()].flatMap(({ transitions }) => transitions);
  const transitions = new Map([...own, ...(definition?.transitions ?? [])].map((one) => [one.id, one]));
  const initial = new Set([definition, ...described.values()].map((one) => one?.initial));
  const ids = Object.keys(layout.states);
  const depth = (id: string) => id.split('.').length;
  const states = ids
    .sort((a, b) => depth(a) - depth(b))
    .flatMap((id): DrawnState[] => {
      const box = layout.states[id];
      if (!box) return [];
      const { x, y, width, height, title, orientation } = box;
      const { description, type = 'atomic' } = described.get(id) ?? {};
      return [
        {
          id,
          title,
          key: isOwn ? keyOfPath(id) : 'decide',
          isParent: ids.some((other) => other.startsWith(`${id}.`)),
          type,
          isInitial: initial.has(id),
          isVertical: orientation === 'vertical',
          description,
          ...{ x, y, width, height },
        },
      ];
    });
  const edges = layout.edges.map((edge) => drawnEdge(edge, transitions));
  return { width: layout.width, height: layout.height, states, edges };
}

function allStates(states: readonly ChartState[]): ChartState[] {
  return states.flatMap((state) => [state, ...allStates(state.states)]);
}

function drawnEdge(
  { id, from, to, points, label, transitions }: LayoutEdge,
  known: ReadonlyMap<string, ChartTransition>,
): DrawnEdge {
  return {
    id,
    from,
    to,
    line: lineOf(points),
    head: headOf(points),
    label: {
      x: label.x,
      y: label.y + label.height - 3.5,
      width: label.width,
      text: label.text,
      endsAtLine: endsAtLine(label, points),
    },
    transitions: transitions.flatMap((one) => known.get(one) ?? []),
  };
}

function endsAtLine({ x, y, width, height }: Box, points: readonly Point[]): boolean {
  return points.slice(1).some((to, i) => {
    const from = points[i] as Point;
    const isBeside = Math.min(from.y, to.y) < y + height && Math.max(from.y, to.y) > y;
    return from.x === to.x && isBeside && Math.abs(from.x - x - width) < 6;
  });
}

interface Point {
  x: number;
  y: number;
}

const corner = 4;
const headLength = 7;

/** A line with rounded corners that ends where its head begins. */
function lineOf(points: readonly Point[]): string {
  return points
    .map((point, i) => {
      const before = points[i - 1];
      const after = points[i + 1];
      if (!before) return `M${at(point)}`;
      if (!after) return `L${at(towards(point, before, headLength))}`;
      const bend = Math.min(corner, distance(before, point) / 2, distance(point, after) / 2);
      return `L${at(towards(point, before, bend))}Q${at(point)} ${at(towards(point, after, bend))}`;
    })
    .join('');
}

function headOf(points: readonly Point[]): string {
  const end = points.at(-1);
  const before = points.at(-2);
  if (!end || !before) return '';
  const base = towards(end, before, headLength + 1);
  const across = { x: (end.y - base.y) / 2, y: (base.x - end.x) / 2 };
  const corners = [1, -1].map((side) => at({ x: base.x + across.x * side, y: base.y + across.y * side }));
  return `M${at(end)}L${corners.join('L')}z`;
}

/** The point that lies so far from one towards another. */
function towards(from: Point, to: Point, length: number): Point {
  const whole = distance(from, to);
  if (whole === 0) return from;
  return { x: from.x + ((to.x - from.x) * length) / whole, y: from.y + ((to.y - from.y) * length) / whole };
}

function distance(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}

function at({ x, y }: Point): string {
  return `${Math.round(x * 10) / 10} ${Math.round(y * 10) / 10}`;
}

/** A transition in words: `model.done [isAwaited]`; `always` without event and guard. */
export function wordsOf({ event, guard }: ChartTransition): string {
  const words = [event, guard === null ? '' : `[${guard}]`].filter(Boolean).join(' ');
  return words || 'always';
}
