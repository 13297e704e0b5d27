import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runMachineVersion } from '../../machines/run.machine.ts';
import { createRunHost } from '../../src/agent/run-host.ts';
import type { AgentParts } from '../../src/agent/services.ts';
import { pathOf } from '../../src/engine/machine/decide.ts';
import { createMachineHosts } from '../../src/engine/machine/machine-hosts.ts';
import { migrate } from '../../src/engine/machine/migrate.ts';
import type { Program } from '../../src/store/program.ts';
import { openInMemory } from '../../src/store/sql/in-memory.ts';
import type { Store } from '../../src/store/store.ts';
import { RandomSession } from '../agent/random/session.ts';
import { ask } from '../support/ask.ts';
import { inSizes, isFullSize } from '../support/size.ts';

const host = createRunHost({} as AgentParts);
/** A next version that changes nothing. */
const hosts = createMachineHosts([
  { ...host, version: runMachineVersion + 1, migrate: [{ from: runMachineVersion, snapshot: (old) => old }] },
]);

/** Ends a transaction that is only tried. */
class Undo extends Error {}

/** A store that, after each commit, migrates every unfinished run and rolls that back. */
function trying(store: Store, tried: Map<string, number>): Store {
  const attempt = () =>
    store.commit(function* (): Program<void> {
      for (const row of yield* ask('listActiveRuns', {})) {
        yield* migrate(row, hosts.migrationPathOf(row), row.updatedAt, (text) => text);
        const path = pathOf(JSON.parse(row.state));
        tried.set(path, (tried.get(path) ?? 0) + 1);
      }
      throw new Undo();
    });
  return {
    async commit(program) {
      const value = await store.commit(program);
      await attempt().catch((error) => {
        if (!(error instanceof Undo)) throw error;
      });
      return value;
    },
    query: (name, input) => store.query(name, input),
    close: () => store.close(),
  };
}

it('a run of the run machine can be migrated after any commit: its rows agree with what its chart waits for', async () => {
  const tried = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(fc.gen(), async (gen) => {
      const session = new RandomSession(gen, trying(openInMemory(), tried));
      await session.live();
      expect(session.reports).toEqual([]);
    }),
    { numRuns: inSizes({ usual: 20, deep: 60, full: 5_000 }), endOnFailure: true },
  );
  // Crashes in the middle of an unsafe call are rare.
  const rare = isFullSize ? ['reconciling'] : [];
  const states = ['idle', 'awaitingConfirm', 'requesting', 'backingOff', 'executing', ...rare];
  for (const state of [...states, 'flushing', 'summarizing'])
    expect([...tried.keys()].some((path) => path.endsWith(state))).toBe(true);
  const total = [...tried.values()].reduce((sum, count) => sum + count, 0);
  console.log(`migrations tried: ${total}, 0 refused; ${JSON.stringify(Object.fromEntries(tried))}`);
});
