import { type CommandRow, noDriver } from '../rows.ts';
import type { CommandStatements } from '../statements/commands.ts';
import { type Handlers, requireRun, type Tables } from './schema.ts';

export function commandStatements(tables: Tables): Handlers<CommandStatements> {
  const { runs, commands, commandsOf, commandsOpen, drivers } = tables;
  const read = (id: number): CommandRow | undefined => {
    const row = commands.get(id);
    const run = row && runs.get(row.run);
    return row && run && { ...row, runId: run.id };
  };
  const waiting = (run: number) =>
    commandsOf.of(run).flatMap(({ id }) => {
      const row = read(id);
      return row?.outcome === null ? [row] : [];
    });
  /** Those of all runs that wait. */
  const allWaiting = () => commandsOpen.of(0).flatMap(({ id }) => read(id) ?? []);
  /** Whether a driver has the run, or had it last before it came to rest. */
  const isOf = (run: number, me: number) => {
    const { driver, lastDriver } = runs.get(run) ?? {};
    return driver === me || (driver === noDriver && lastDriver === me);
  };
  const isLeft = (run: number) => {
    const { driver, lastDriver, ended } = runs.get(run) ?? {};
    const driverEnded = drivers.get(lastDriver ?? 0)?.endedAt ?? null;
    return driver === null || ((driver === noDriver || ended === 1) && driverEnded !== null);
  };
  return {
    insertCommand({ tenant, run, kind, body }) {
      requireRun(tables, run);
      // No row is removed, so that no id comes twice.
      const id = commands.size + 1;
      commands.set(id, { id, tenant, run, kind, body, outcome: null });
      commandsOf.add(run, { id });
      commandsOpen.add(0, { id });
      return { id };
    },

    findCommand: ({ id }) => read(id),

    listCommandsTo: ({ run }) => waiting(run),

    listCommandsFor: ({ driver }) => allWaiting().filter(({ run }) => isOf(run, driver)),

    listLeftCommands: () => allWaiting().filter(({ run }) => isLeft(run)),

    settleCommand({ id, outcome }) {
      const row = commands.get(id);
      if (row?.outcome !== null) return 0;
      commands.set(id, { ...row, outcome, body: '' });
      commandsOpen.remove(0, { id });
      return 1;
    },
  };
}
