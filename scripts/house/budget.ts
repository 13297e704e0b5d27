import { figureNames, type Mass } from './mass.ts';

/** What each room may weigh. `node scripts/house.ts --lower` writes the figures; only a line of `raised` lets one grow. */
export interface Budget {
  rooms: Readonly<Record<string, Partial<Mass>>>;
  raised: readonly Raise[];
}

/** One figure of one room may grow by so much, and why. */
interface Raise {
  room: string;
  figure: keyof Mass;
  by: number;
  reason: string;
}

/** What a room weighs against what it may. */
interface Overrun {
  room: string;
  figure: string;
  is: number;
  may: number;
}

const figuresOf = (weighed: ReadonlyMap<string, Partial<Mass>>, budget: Budget) =>
  [...new Set([...weighed.keys(), ...Object.keys(budget.rooms)])].flatMap((room) =>
    figureNames.map((figure) => ({
      room,
      figure,
      is: weighed.get(room)?.[figure] ?? 0,
      may: allowed(budget, room, figure),
    })),
  );

function allowed({ rooms, raised }: Budget, room: string, figure: keyof Mass): number {
  const own = raised.filter((raise) => raise.room === room && raise.figure === figure);
  return own.reduce((sum, { by }) => sum + by, rooms[room]?.[figure] ?? 0);
}

/** The figures that differ from the budget: those that grew past it, and those that shrank without the budget being lowered. */
export function overruns(weighed: ReadonlyMap<string, Partial<Mass>>, budget: Budget): Overrun[] {
  return figuresOf(weighed, budget).filter(({ is, may }) => is !== may);
}

/** The lines of `raised` that say nothing: of no figure, by no number, or without a reason of some words. */
export function emptyRaises({ raised }: Budget): Raise[] {
  return raised.filter(
    ({ figure, by, reason }) =>
      !figureNames.includes(figure) || !(Number.isInteger(by) && by > 0) || !/\w+\W+\w+\W+\w+/.test(reason),
  );
}

/** The budget with every figure that shrank. One that grew stays, and so does the reason of one that did not shrink. */
export function lowered(weighed: ReadonlyMap<string, Partial<Mass>>, budget: Budget): Budget {
  const shrank = figuresOf(weighed, budget).filter(({ is, may }) => is < may);
  const isLower = (room: string, figure: string) =>
    shrank.some((one) => one.room === room && one.figure === figure);
  const rooms = new Map(Object.entries(budget.rooms).map(([room, figures]) => [room, { ...figures }]));
  for (const { room, figure, is } of shrank) rooms.set(room, { ...rooms.get(room), [figure]: is });
  for (const room of rooms.keys()) if (!weighed.has(room)) rooms.delete(room);
  return {
    rooms: Object.fromEntries(rooms),
    raised: budget.raised.filter(({ room, figure }) => !isLower(room, figure)),
  };
}
