import { type Kysely, sql } from 'kysely';
import type { Database } from '../query/database.ts';
import { add, all, change, columnsOf, one } from '../query/query.ts';
import type { CommandRow, Scoped } from '../rows.ts';
import { noDriver } from '../rows.ts';

const commands = (k: Kysely<Database>) =>
  k
    .selectFrom('commands')
    .innerJoin('runs', 'runs.pk', 'commands.run_pk')
    .select([...columnsOf('commands'), 'runs.id as runId']);

/** Commands to runs that other processes drive. */
export const commandStatements = {
  insertCommand: add<Scoped & Pick<CommandRow, 'run' | 'kind' | 'body'> & { at: number }, { id: number }>(
    (k, p) =>
      k
        .insertInto('commands')
        .values({
          tenant_id: p.tenant,
          run_pk: p.run,
          kind: p.kind,
          body: p.body,
          made_at: p.at,
          outcome: null,
          done_at: null,
        })
        .returning('id'),
  ),
  findCommand: one<{ id: number }, CommandRow>((k, p) => commands(k).where('commands.id', '=', p.id)),
  /** The commands that wait for a run that a driver has, or had last before it came to rest; in their order. */
  listCommandsFor: all<{ driver: number }, CommandRow>((k, p) =>
    commands(k)
      .where((e) =>
        e.or([
          e('runs.driver', '=', p.driver),
          e.and([e('runs.driver', '=', sql.lit(noDriver)), e('runs.last_driver', '=', p.driver)]),
        ]),
      )
      .where('commands.outcome', 'is', null)
      .orderBy('commands.id'),
  ),
  /**
   * The commands that wait for a run which no driver has; or which is at rest, or has ended, and whose last driver has ended or
   * never was. In their order.
   */
  listLeftCommands: all<Record<string, never>, CommandRow>((k) =>
    commands(k)
      .leftJoin('drivers', 'drivers.epoch', 'runs.last_driver')
      .where((e) =>
        e.or([
          e('runs.driver', 'is', null),
          e.and([
            e.or([e('runs.driver', '=', sql.lit(noDriver)), e('runs.ended', '=', 1)]),
            e.or([e('drivers.ended_at', 'is not', null), e('runs.last_driver', '=', sql.lit(noDriver))]),
          ]),
        ]),
      )
      .where('commands.outcome', 'is', null)
      .orderBy('commands.id'),
  ),
  /** Writes what came of a command, and clears what it asked; 0 if it has an outcome. */
  settleCommand: change<{ id: number; outcome: string; at: number }>((k, p) =>
    k
      .updateTable('commands')
      .set({ outcome: p.outcome, body: '', done_at: p.at })
      .where('id', '=', p.id)
      .where('outcome', 'is', null),
  ),
};
