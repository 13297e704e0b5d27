import { type Kysely, sql } from 'kysely';
import { noDriver } from '../../rows.ts';
import type { CommandStatements } from '../../statements/commands.ts';
import type { Database } from '../schema.ts';
import type { Queries } from './query.ts';

const commands = (k: Kysely<Database>) =>
  k
    .selectFrom('commands')
    .innerJoin('runs', 'runs.pk', 'commands.run_pk')
    .select([
      'commands.id',
      'commands.tenant_id as tenant',
      'commands.run_pk as run',
      'runs.id as runId',
      'commands.kind',
      'commands.body',
      'commands.outcome',
    ]);

export const commandQueries = {
  insertCommand: [
    'get',
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
  ],
  findCommand: ['get', (k, p) => commands(k).where('commands.id', '=', p.id)],
  listCommandsTo: [
    'all',
    (k, p) =>
      commands(k)
        .where('commands.run_pk', '=', p.run)
        .where('commands.outcome', 'is', null)
        .orderBy('commands.id'),
  ],
  listCommandsFor: [
    'all',
    (k, p) =>
      commands(k)
        .where((e) =>
          e.or([
            e('runs.driver', '=', p.driver),
            e.and([e('runs.driver', '=', sql.lit(noDriver)), e('runs.last_driver', '=', p.driver)]),
          ]),
        )
        .where('commands.outcome', 'is', null)
        .orderBy('commands.id'),
  ],
  listLeftCommands: [
    'all',
    (k) =>
      commands(k)
        .leftJoin('drivers', 'drivers.epoch', 'runs.last_driver')
        .where((e) =>
          e.or([
            e('runs.driver', 'is', null),
            e.and([
              e.or([e('runs.driver', '=', sql.lit(noDriver)), e('runs.ended', '=', 1)]),
              e('drivers.ended_at', 'is not', null),
            ]),
          ]),
        )
        .where('commands.outcome', 'is', null)
        .orderBy('commands.id'),
  ],
  settleCommand: [
    'run',
    (k, p) =>
      k
        .updateTable('commands')
        .set({ outcome: p.outcome, body: '', done_at: p.at })
        .where('id', '=', p.id)
        .where('outcome', 'is', null),
  ],
} satisfies Queries<CommandStatements>;
