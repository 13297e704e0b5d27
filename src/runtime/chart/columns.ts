import type { ChartState } from '../../protocol/views.ts';

/** How the states at one level of a chart lead to each other. */
export interface Level {
  states: readonly ChartState[];
  /** Id of the state that it begins in. */
  initial: string | null;
  /** By the ids of two of the states: whether an edge leads from the first one, or from inside it, to the second one. */
  leads(from: string, to: string): boolean;
}

/** The columns of a level, from left to right, each from top to bottom. */
export interface Columns {
  columns: ChartState[][];
  /** A state between all others, as tall as what it stands between. */
  hub: ChartState | null;
}

/** The edges between a hub and others, at least. */
const minSpokes = 4;

/** Puts each state behind those that lead to it, and final ones last. */
export function columnsOf(level: Level): Columns {
  const hub = hubOf(level);
  const rank = hub ? ranksAround(level, hub) : ranksOf(level);
  const finals = level.states.filter(({ type }) => type === 'final');
  const last = Math.max(
    0,
    ...level.states.filter((one) => !finals.includes(one)).map(({ id }) => rank.get(id) ?? 0),
  );
  if (finals.length < level.states.length) for (const { id } of finals) rank.set(id, last + 1);
  const byRank = Map.groupBy(level.states, ({ id }) => rank.get(id) ?? 0);
  const columns = [...byRank].sort(([a], [b]) => a - b).map(([, states]) => states);
  return { columns: ordered(level, columns), hub };
}

/** The state that most others are connected with, such as one that decides where to go on. */
function hubOf({ states, leads }: Level): ChartState | null {
  let hub: ChartState | null = null;
  let most = minSpokes - 1;
  for (const state of states) {
    if (state.states.length > 0 || state.type === 'final') continue;
    const others = states.filter(({ id }) => id !== state.id);
    const before = others.filter(({ id }) => leads(id, state.id));
    const behind = others.filter(({ id }) => leads(state.id, id));
    const near = new Set([...before, ...behind]);
    const spokes = before.length + behind.length;
    if (others.length < 3 || near.size < others.length / 2 || spokes <= most) continue;
    most = spokes;
    hub = state;
  }
  return hub;
}

/** On the right of a hub is what it alone leads to, and what that leads to before it comes back; on the left is all else. */
function ranksAround({ states, leads, initial }: Level, hub: ChartState): Map<string, number> {
  const others = states.filter(({ id }) => id !== hub.id);
  const isBoth = (id: string) => leads(id, hub.id) && leads(hub.id, id);
  const both = others.filter(({ id }) => isBoth(id) && id !== initial);
  // Many that it goes to and comes back from stand on both sides of it.
  const right = new Set(both.length > 3 ? both.slice(Math.ceil(both.length / 2)).map(({ id }) => id) : []);
  for (const { id } of others) if (leads(hub.id, id) && !leads(id, hub.id) && id !== initial) right.add(id);
  for (const id of right)
    for (const next of others)
      if (leads(id, next.id) && !isBoth(next.id) && next.id !== initial) right.add(next.id);
  return new Map([[hub.id, 1], ...others.map(({ id }) => [id, right.has(id) ? 2 : 0] as const)]);
}

/** The longest way to each state, without the edges that lead back. */
function ranksOf({ states, initial, leads }: Level): Map<string, number> {
  const begin = states.find(({ id }) => id === initial);
  const inOrder = begin ? [begin, ...states.filter((one) => one !== begin)] : states;
  const forward = new Map<string, string[]>();
  const seen = new Map<string, 'open' | 'done'>();
  const order: string[] = [];
  const visit = (id: string) => {
    seen.set(id, 'open');
    const next = inOrder.filter((to) => to.id !== id && leads(id, to.id) && seen.get(to.id) !== 'open');
    forward.set(
      id,
      next.map((to) => to.id),
    );
    for (const to of next) if (!seen.has(to.id)) visit(to.id);
    seen.set(id, 'done');
    order.unshift(id);
  };
  for (const { id } of inOrder) if (!seen.has(id)) visit(id);
  const ranks = new Map(order.map((id) => [id, 0]));
  for (const id of order)
    for (const to of forward.get(id) ?? [])
      ranks.set(to, Math.max(ranks.get(to) ?? 0, (ranks.get(id) ?? 0) + 1));
  return ranks;
}

/** Moves each state to the height of those that it is connected with. */
function ordered({ leads }: Level, columns: ChartState[][]): ChartState[][] {
  const heights = new Map(
    columns.flatMap((column) => column.map(({ id }, i) => [id, (i + 0.5) / column.length] as const)),
  );
  const isNear = (a: string, b: string) => leads(a, b) || leads(b, a);
  let current = columns;
  for (let round = 0; round < 4; round++)
    current = current.map((column) => {
      const wanted = new Map(
        column.map(({ id }) => {
          const near = [...heights].filter(
            ([other]) => !column.some((one) => one.id === other) && isNear(id, other),
          );
          const mean = near.reduce((sum, [, height]) => sum + height, 0) / near.length;
          return [id, near.length === 0 ? (heights.get(id) ?? 0) : mean];
        }),
      );
      const sorted = column.toSorted((a, b) => (wanted.get(a.id) ?? 0) - (wanted.get(b.id) ?? 0));
      for (const [i, { id }] of sorted.entries()) heights.set(id, (i + 0.5) / sorted.length);
      return sorted;
    });
  return current;
}
