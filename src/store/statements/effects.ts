import { type Kysely, sql } from 'kysely';
import type { Database } from '../query/database.ts';
import { all, change, columnsOf, one, page, valuesOf } from '../query/query.ts';
import type { EffectRow, EffectStatus, PageLimit, Scoped } from '../rows.ts';

const effects = (k: Kysely<Database>) => k.selectFrom('effects').select(columnsOf('effects'));

/** The effects that a run asked for. */
export const effectStatements = {
  insertEffect: change<EffectRow & Scoped & { at: number }>((k, p) =>
    k.insertInto('effects').values({ ...valuesOf('effects', p), created_at: p.at, updated_at: p.at }),
  ),
  /**
   * Starts an effect that is held, pending, uncertain, or was started under an older fence. `attempts` is added to its
   * count: 1 for a driver that performs it now, 0 if it is left `pending` for a driver.
   */
  startEffect: change<
    Pick<EffectRow, 'run' | 'n' | 'driver' | 'fence'> & {
      status: 'started' | 'pending';
      attempts: 0 | 1;
      at: number;
    }
  >((k, p) =>
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
  ),
  /**
   * Settles an effect that is started or linked; one that is linked already is not linked again. Clears the bytes to
   * execute, unless the status is `uncertain`, because a person may have it executed again, or `linked`, because a fork
   * performs it again.
   */
  settleEffect: change<{ run: number; n: number; status: EffectStatus; at: number }>((k, p) =>
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
  ),
  /** An orderly stop gives its attempt back: only attempts that end in a crash count. */
  uncountAttempt: change<{ run: number; n: number; fence: number }>((k, p) =>
    k
      .updateTable('effects')
      .set((e) => ({ attempt: e('attempt', '-', 1) }))
      .where('run_pk', '=', p.run)
      .where('n', '=', p.n)
      .where('fence', '=', p.fence)
      .where('status', '=', 'started')
      .where('attempt', '>', 0),
  ),
  /** Cancels an open effect, and clears its bytes to execute. */
  closeEffect: change<{ run: number; n: number; at: number }>((k, p) =>
    k
      .updateTable('effects')
      .set({ status: 'cancelled', input: null, updated_at: p.at })
      .where('run_pk', '=', p.run)
      .where('n', '=', p.n)
      .where('status', 'in', ['held', 'pending', 'started', 'linked', 'uncertain']),
  ),
  changeEffectInput: change<{ run: number; n: number; input: string }>((k, p) =>
    k.updateTable('effects').set({ input: p.input }).where('run_pk', '=', p.run).where('n', '=', p.n),
  ),
  changeEffect: change<{ run: number; n: number; name: string; params: string }>((k, p) =>
    k
      .updateTable('effects')
      .set({ name: p.name, params: p.params })
      .where('run_pk', '=', p.run)
      .where('n', '=', p.n),
  ),
  findEffect: one<{ run: number; n: number }, EffectRow>(
    (k, p) => effects(k).where('run_pk', '=', p.run).where('n', '=', p.n),
    'no key update',
  ),
  /** Effects that are neither done nor cancelled. */
  listOpenEffects: all<{ run: number }, EffectRow>(
    (k, p) =>
      effects(k)
        .where('run_pk', '=', p.run)
        .where('status', 'in', ['held', 'pending', 'started', 'linked', 'uncertain'])
        .orderBy('n'),
    'no key update',
  ),
  /** The effects after the effect `after`. `src/engine/log/read-log.ts` reads all effects of a run, page after page. */
  listEffects: page<{ run: number; after: number } & PageLimit, EffectRow>((k, p) =>
    effects(k).where('run_pk', '=', p.run).where('n', '>', p.after).orderBy('n'),
  ),
  /** Copies the effects of a run to another one. */
  copyEffects: change<{ from: number; run: number; at: number } & Scoped>((k, p) => {
    const kept = ['n', 'name', 'params', 'input', 'status', 'attempt', 'driver', 'fence'] as const;
    return k
      .insertInto('effects')
      .columns(['run_pk', 'tenant_id', 'created_at', 'updated_at', ...kept])
      .expression((e) =>
        e
          .selectFrom('effects')
          .select([
            sql<number>`cast(${p.run} as bigint)`.as('run'),
            sql<number>`cast(${p.tenant} as bigint)`.as('tenant'),
            sql<number>`cast(${p.at} as bigint)`.as('created'),
            sql<number>`cast(${p.at} as bigint)`.as('updated'),
            ...kept,
          ])
          .where('run_pk', '=', p.from),
      );
  }),
};
