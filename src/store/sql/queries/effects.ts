import { type Kysely, sql } from 'kysely';
import type { EffectStatements } from '../../statements/effects.ts';
import type { Database } from '../schema.ts';
import type { Queries } from './query.ts';

const effects = (k: Kysely<Database>) =>
  k
    .selectFrom('effects')
    .select(['run_pk as run', 'n', 'name', 'params', 'input', 'status', 'attempt', 'driver', 'fence']);

export const effectQueries = {
  insertEffect: [
    'run',
    (k, p) =>
      k.insertInto('effects').values({
        run_pk: p.run,
        n: p.n,
        tenant_id: p.tenant,
        name: p.name,
        params: p.params,
        input: p.input,
        status: p.status,
        attempt: p.attempt,
        driver: p.driver,
        fence: p.fence,
        created_at: p.at,
        updated_at: p.at,
      }),
  ],
  startEffect: [
    'run',
    (k, p) =>
      k
        .updateTable('effects')
        .set((e) => ({
          attempt: e('attempt', '+', p.attempts),
          status: p.status,
          driver: p.driver,
          fence: p.fence,
          updated_at: p.at,
        }))
        .where('run_pk', '=', p.run)
        .where('n', '=', p.n)
        .where((e) =>
          e.or([
            e('status', 'in', ['held', 'pending', 'uncertain']),
            e.and([e('status', '=', 'started'), e('fence', '<', p.fence)]),
          ]),
        ),
  ],
  settleEffect: [
    'run',
    (k, p) =>
      k
        .updateTable('effects')
        .set({
          status: p.status,
          input: sql<string | null>`case when ${p.status} in ('uncertain', 'linked') then input end`,
          updated_at: p.at,
        })
        .where('run_pk', '=', p.run)
        .where('n', '=', p.n)
        .where((e) =>
          e.or([
            e('status', '=', 'started'),
            e.and([e('status', '=', 'linked'), sql<boolean>`${p.status} <> 'linked'`]),
          ]),
        ),
  ],
  uncountAttempt: [
    'run',
    (k, p) =>
      k
        .updateTable('effects')
        .set((e) => ({ attempt: e('attempt', '-', 1) }))
        .where('run_pk', '=', p.run)
        .where('n', '=', p.n)
        .where('fence', '=', p.fence)
        .where('status', '=', 'started')
        .where('attempt', '>', 0),
  ],
  closeEffect: [
    'run',
    (k, p) =>
      k
        .updateTable('effects')
        .set({ status: 'cancelled', input: null, updated_at: p.at })
        .where('run_pk', '=', p.run)
        .where('n', '=', p.n)
        .where('status', 'in', ['held', 'pending', 'started', 'linked', 'uncertain']),
  ],
  changeEffectInput: [
    'run',
    (k, p) =>
      k.updateTable('effects').set({ input: p.input }).where('run_pk', '=', p.run).where('n', '=', p.n),
  ],
  changeEffect: [
    'run',
    (k, p) =>
      k
        .updateTable('effects')
        .set({ name: p.name, params: p.params })
        .where('run_pk', '=', p.run)
        .where('n', '=', p.n),
  ],
  findEffect: ['get', (k, p) => effects(k).where('run_pk', '=', p.run).where('n', '=', p.n)],
  listOpenEffects: [
    'all',
    (k, p) =>
      effects(k)
        .where('run_pk', '=', p.run)
        .where('status', 'in', ['held', 'pending', 'started', 'linked', 'uncertain'])
        .orderBy('n'),
  ],
  listEffects: ['all', (k, p) => effects(k).where('run_pk', '=', p.run).orderBy('n')],
} satisfies Queries<EffectStatements>;
