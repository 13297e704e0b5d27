import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ask, type EngineStatements, type Store } from '../../../src/engine/commit/statements.ts';
import { statements } from '../../../src/store/statements.ts';
import type { Store as WholeStore } from '../../../src/store/store.ts';

/** A name that is missing here, or that the engine may not ask, does not compile. */
const own: Record<keyof EngineStatements, true> = {
  insertRun: true,
  loadRun: true,
  advanceRun: true,
  endRun: true,
  migrateRun: true,
  claimRun: true,
  countFault: true,
  lastOrdinal: true,
  laneHead: true,
  listActiveRunsAfter: true,
  listActiveRunsOf: true,
  insertEvent: true,
  listEvents: true,
  insertEffect: true,
  startEffect: true,
  settleEffect: true,
  uncountAttempt: true,
  closeEffect: true,
  changeEffect: true,
  findEffect: true,
  listEffects: true,
  listOpenEffects: true,
  setTimer: true,
  clearTimer: true,
  fireTimer: true,
  listTimers: true,
  listDueTimers: true,
  listSoonestTimers: true,
  listDueTimersOf: true,
  newestDriver: true,
  findSession: true,
  findLeaving: true,
  insertSession: true,
  pageMessagesOfRun: true,
  noteDriverError: true,
  findDriver: true,
  listDrivers: true,
  endDriver: true,
  passRun: true,
  listBegunRunsOf: true,
  listOwnHeads: true,
  abandonRunsOf: true,
  deleteHoldsOfDriver: true,
  findRequestKey: true,
  insertRequestKey: true,
  noteRequestKey: true,
  insertCommand: true,
  settleCommand: true,
};

it('asks every statement that is the engine’s own, and no other', () => {
  const quoted = globSync('src/engine/**/*.ts')
    .filter((file) => !file.endsWith('statements.ts'))
    .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/'(\w+)'/g)].map(([, word = '']) => word));
  const asked = new Set(quoted.filter((word) => word in statements));
  expect([...asked].sort()).toEqual(Object.keys(own).sort());
});

it('does not compile with a statement of another part', () => {
  const planted = (store: Store, whole: WholeStore) => [
    // @ts-expect-error calls of models are the agent's to count
    ask('insertUsage', {}),
    // @ts-expect-error
    store.query('sumUsage', {}),
    // @ts-expect-error an id is text
    ask('loadRun', { tenant: 1, id: 7 }),
    // @ts-expect-error the engine's store answers less than a whole one
    store satisfies WholeStore,
    whole satisfies Store,
  ];
  expect(planted).toBeTypeOf('function');
});
