import type { ChartEdge, ChartState, MachineDefinition, StateBox } from '../../protocol/views.ts';
import { type Columns, columnsOf, type Level } from './columns.ts';

/** All borders and lines are on a lattice of this many pixels. */
export const pitch = 10;

/** What the title of a state measures, in 12 pixels, behind a sign. */
const letter = 6.5;
const signWidth = 36;
const leafHeight = 40;
const hubWidth = 30;
/** Between the border of a state and the states inside of it. */
const padding = { top: 30, side: 20, bottom: 20 };

const latticed = (length: number) => Math.ceil(length / pitch) * pitch;
const downTo = (length: number) => Math.floor(length / pitch) * pitch;

/** A state with its box, relative to that of its parent. */
interface Placed {
  id: string;
  box: StateBox;
  inner: Placed[];
}

/**
 * Gives each state a place: columns from left to right, what is inside of a state within its box.
 *
 * @param room how far states are apart, 1 for as near as they look good.
 * @param widthOf how much room the label of an edge takes.
 */
export function placesOf(
  { states, initial }: MachineDefinition,
  edges: readonly ChartEdge[],
  room: number,
  widthOf: (edge: ChartEdge) => number,
): Record<string, StateBox> {
  const placed = new Arranging(edges, room, widthOf).arrange(states, initial, true);
  const boxes: Record<string, StateBox> = {};
  const add = (one: Placed, x: number, y: number) => {
    boxes[one.id] = { ...one.box, x: one.box.x + x, y: one.box.y + y };
    for (const inner of one.inner) add(inner, one.box.x + x, one.box.y + y);
  };
  for (const one of placed) add(one, 0, 0);
  return boxes;
}

const isIn = (id: string, state: string) => id === state || id.startsWith(`${state}.`);

class Arranging {
  readonly #edges: readonly ChartEdge[];
  readonly #room: number;
  readonly #widthOf: (edge: ChartEdge) => number;

  constructor(edges: readonly ChartEdge[], room: number, widthOf: (edge: ChartEdge) => number) {
    this.#edges = edges;
    this.#room = room;
    this.#widthOf = widthOf;
  }

  arrange(
    states: readonly ChartState[],
    initial: string | null,
    isWide: boolean,
    areAtOnce = false,
  ): Placed[] {
    const placed = new Map(states.map((state) => [state.id, this.#box(state)]));
    const links = this.#links(states);
    const leads = (from: string, to: string) => from !== to && links.has(`${from} ${to}`);
    const level: Level = { states, initial, leads };
    const { columns, hub } = areAtOnce ? { columns: [[...states]], hub: null } : columnsOf(level);
    if (hub) Object.assign((placed.get(hub.id) as Placed).box, { width: hubWidth, orientation: 'vertical' });
    const areSmall = states.every((one) => one.states.length === 0) && !hub && states.length <= 4;
    const isStack = !isWide && areSmall && !areAtOnce;
    const stacks = isStack ? [columns.flat()] : columns;
    if (isStack && states.length > 1) {
      // Labels stand between the line down and the line up.
      const labels = this.#edges
        .filter(({ from, to }) => from !== to && placed.has(from) && placed.has(to))
        .map(this.#widthOf);
      const width = latticed(Math.max(0, ...labels) + 40);
      for (const { box } of placed.values()) box.width = Math.max(box.width, Math.min(width, 170));
    }
    const labelBetween = (a: ChartState, b: ChartState) =>
      Math.max(links.get(`${a.id} ${b.id}`) ?? 0, links.get(`${b.id} ${a.id}`) ?? 0);
    return this.#set({ columns: stacks, hub }, placed, (left, right) =>
      Math.max(0, ...left.flatMap((one) => right.map((other) => labelBetween(one, other)))),
    );
  }

  /** Which states lead to which, also from inside of them: the width of the longest label, by the ids of both. */
  #links(states: readonly ChartState[]): Map<string, number> {
    const around = (id: string) => states.find((state) => isIn(id, state.id))?.id;
    const links = new Map<string, number>();
    for (const edge of this.#edges) {
      const [from, to] = [around(edge.from), around(edge.to)];
      if (from === undefined || to === undefined) continue;
      links.set(`${from} ${to}`, Math.max(links.get(`${from} ${to}`) ?? 0, this.#widthOf(edge)));
    }
    return links;
  }

  #set(
    { columns, hub }: Columns,
    placed: ReadonlyMap<string, Placed>,
    labels: (a: ChartState[], b: ChartState[]) => number,
  ): Placed[] {
    const boxOf = ({ id }: ChartState) => (placed.get(id) as Placed).box;
    const heightOf = (column: readonly ChartState[]) =>
      column.reduce((sum, state) => sum + (state === hub ? leafHeight : boxOf(state).height), 0) +
      this.#rowGap() * (column.length - 1);
    const height = Math.max(0, ...columns.map(heightOf));
    let x = 0;
    for (const [i, column] of columns.entries()) {
      const width = Math.max(...column.map((state) => boxOf(state).width));
      // The boxes of a column stand evenly apart over the whole height.
      const extra = downTo((height - heightOf(column)) / column.length);
      let y = downTo(extra / 2);
      for (const state of column) {
        const box = boxOf(state);
        if (state === hub) Object.assign(box, { x, y: 0, height });
        else Object.assign(box, { x, y });
        if (column.length > 1 && state.states.length > 0) box.width = width;
        y += box.height + this.#rowGap() + extra;
      }
      const next = columns[i + 1];
      x += width + (next ? this.#columnGap(labels(column, next)) : 0);
    }
    return columns.flat().map(({ id }) => placed.get(id) as Placed);
  }

  #rowGap(): number {
    return latticed(40 * this.#room);
  }

  #columnGap(label: number): number {
    return latticed(Math.min(110, Math.max(50, label)) * this.#room);
  }

  #box(state: ChartState): Placed {
    const { id, key, states, initial, type } = state;
    const isLeaf = states.length === 0;
    const title = isLeaf ? titleOf(key) : [key];
    const ownWidth = latticed(Math.max(...title.map((line) => line.length)) * letter + signWidth);
    const box = { x: 0, y: 0, orientation: 'horizontal' as const, title };
    if (isLeaf)
      return {
        id,
        box: { ...box, width: ownWidth, height: leafHeight + (title.length - 1) * 20 },
        inner: [],
      };
    const inner = this.arrange(states, initial, false, type === 'parallel');
    for (const one of inner)
      Object.assign(one.box, { x: one.box.x + padding.side, y: one.box.y + padding.top });
    const width = Math.max(ownWidth, ...inner.map((one) => one.box.x + one.box.width + padding.side));
    const height = Math.max(...inner.map((one) => one.box.y + one.box.height)) + padding.bottom;
    return { id, box: { ...box, width, height }, inner };
  }
}

const longTitle = 11;

/** A long key is broken before a capital, if that makes it much shorter. */
function titleOf(key: string): string[] {
  if (key.length <= longTitle) return [key];
  const breaks = [...key.matchAll(/(?<=[a-z0-9])(?=[A-Z])|(?<=[_-])/g)].map(({ index }) => index);
  const middle = breaks.toSorted((a, b) => Math.abs(a - key.length / 2) - Math.abs(b - key.length / 2))[0];
  return middle === undefined ? [key] : [key.slice(0, middle), key.slice(middle)];
}
