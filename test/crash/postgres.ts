import { openPostgres } from '../../src/store/postgres.ts';
import { dropDatabase, newDatabase } from '../support/postgres.ts';
import type { Result, Suite, World } from './harness/matrix.ts';
import type { Order } from './harness/obey-order.ts';
import { copyToFile } from './harness/rows.ts';

type OnServer<W extends World> = W & { url: string };

let migrated: Promise<string> | undefined;

/** To make the tables for each kill would take as long as the kill. */
async function migratedDatabase(): Promise<string> {
  const url = await newDatabase();
  await (await openPostgres({ url, connections: 1 })).close();
  return url;
}

/** The same scenarios with their runs in PostgreSQL. What is left is looked at as ever, in a copy of its rows. */
export function onServer<Scenario extends { name: string }, W extends World, R extends Result>(
  suite: Suite<Scenario, W, R>,
): Suite<Scenario, OnServer<W>, R> {
  const there = (order: Order, { url }: OnServer<W>): Order => ({ ...order, url });
  const { restOf, begin, died, end } = suite;
  return {
    ...suite,
    ...(begin && { begin }),
    ...(died && { died }),
    ...(end && { end }),
    async open(workspace, scenario) {
      migrated ??= migratedDatabase();
      const url = await newDatabase(await migrated);
      const world = await suite.open(workspace, scenario);
      return {
        ...world,
        url,
        async close() {
          await world.close();
          await dropDatabase(url);
        },
      };
    },
    phasesOf: (scenario, world) => suite.phasesOf(scenario, world).map((order) => there(order, world)),
    ...(restOf && {
      restOf: (scenario: Scenario, world: OnServer<W>) => there(restOf(scenario, world), world),
    }),
    async inspect(scenario, world, result, problem) {
      await copyToFile(world.url, world.workspace);
      await suite.inspect(scenario, world, result, problem);
    },
  };
}
