import { newDatabase } from '../support/postgres.ts';
import type { Result, Suite, World } from './harness/matrix.ts';
import type { Order } from './harness/obey-order.ts';
import { copyToFile } from './harness/rows.ts';

type OnServer<W extends World> = W & { url: string };

/** The same scenarios with their runs in PostgreSQL. What is left is looked at as ever, in a copy of its rows. */
export function onServer<Scenario extends { name: string }, W extends World, R extends Result>(
  suite: Suite<Scenario, W, R>,
): Suite<Scenario, OnServer<W>, R> {
  const there = (order: Order, { url }: OnServer<W>): Order => ({ ...order, url });
  const { restOf, begin, end } = suite;
  return {
    ...suite,
    ...(begin && { begin }),
    ...(end && { end }),
    open: async (workspace, scenario) => ({
      ...(await suite.open(workspace, scenario)),
      url: await newDatabase(),
    }),
    phasesOf: (scenario, world) => suite.phasesOf(scenario, world).map((order) => there(order, world)),
    async died(world, problem) {
      await copyToFile(world.url, world.workspace);
      await suite.died?.(world, problem);
    },
    ...(restOf && {
      restOf: (scenario: Scenario, world: OnServer<W>) => there(restOf(scenario, world), world),
    }),
    async inspect(scenario, world, result, problem) {
      await copyToFile(world.url, world.workspace);
      await suite.inspect(scenario, world, result, problem);
    },
  };
}
