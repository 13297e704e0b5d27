import type { Program } from '../../../src/store/program.ts';
import { noDriver } from '../../../src/store/rows.ts';
import type { Store } from '../../../src/store/store.ts';
import { ask } from '../../support/ask.ts';
import {
  artifactInput,
  commandInput,
  confirmationInput,
  driverInput,
  effectInput,
  eventInput,
  grantInput,
  holdInput,
  messageInput,
  requestKeyInput,
  runInput,
  usageInput,
  withRuns,
} from '../rows.ts';

const budget = { tenant: 1, id: 'b1', period: '' };

/** One row of each kind. */
export async function populate(store: Store): Promise<void> {
  await withRuns(store, 2);
  await store.commit(function* () {
    yield* ask('insertEvent', eventInput());
    yield* ask('insertRequestKey', requestKeyInput());
    yield* ask('insertEffect', effectInput());
    yield* ask('insertEffect', effectInput({ n: 2, status: 'held' }));
    yield* ask('insertEffect', effectInput({ n: 3 }));
    for (const [id, dueAt] of [
      ['a', 50],
      ['b', 60],
      ['c', 70],
    ] as const)
      yield* ask('setTimer', { run: 1, tenant: 1, id, event: `${id}.due`, dueAt });
    yield* ask('insertMessage', messageInput({ role: 'summary' }));
    yield* ask('insertConfirmation', confirmationInput());
    yield* ask('insertGrant', grantInput());
    yield* ask('insertArtifact', artifactInput());
    yield* ask('insertDriver', driverInput());
    yield* ask('insertDriver', driverInput({ name: 'drv_b' }));
    yield* ask('claimRun', { pk: 2, seen: 1, me: 2 });
    for (const run of [1, 2]) yield* ask('insertCommand', commandInput({ run }));
    yield* ask('insertUsage', usageInput());
    yield* ask('ensureBudget', { ...budget, maxTokens: 1, maxCostUsd: null, at: 1 });
    for (const n of [1, 2]) yield* ask('putHold', holdInput({ n }));
    yield* ask('putHold', holdInput({ run: 2 }));
    yield* ask('putAnswer', { tenant: 1, key: 'k1', answer: '{}', at: 1 });
    yield* ask('putAnswer', { tenant: 1, key: 'k2', answer: '{}', at: 5 });
  });
}

/** Every statement that writes, each with an effect on what `populate` wrote. */
export function* changeEverything(): Program<void> {
  const { pk: session } = yield* ask('insertSession', { tenant: 1, key: 's2', user: null, at: 6 });
  yield* ask('moveSessionHead', { session: 1, run: 1, seq: 1 });
  yield* ask('insertRun', runInput({ id: 'new', session }));
  const done = { state: '"done"', context: '{}', updatedAt: 12 };
  const at = { was: 0, wasDriver: noDriver, fence: 1 };
  yield* ask('advanceRun', { pk: 1, ...at, seq: 1, ...done });
  yield* ask('migrateRun', {
    pk: 1,
    ...at,
    was: 1,
    seq: 2,
    version: 2,
    state: '"moved"',
    context: '{}',
    options: '{}',
  });
  yield* ask('endRun', { pk: 1, ...at, was: 2, output: 'null', seq: 3, ...done });
  yield* ask('endDriver', { epoch: 2, at: 12 });
  yield* ask('deleteHoldsOfDriver', { driver: 2 });
  yield* ask('abandonRunsOf', { driver: 2 });
  yield* ask('claimRun', { pk: 2, seen: 2, me: 1 });
  yield* ask('passRun', { pk: 2, driver: noDriver });
  yield* ask('countFault', { pk: 2 });
  yield* ask('insertEvent', eventInput({ seq: 2 }));
  yield* ask('insertRequestKey', requestKeyInput({ name: 'k2' }));
  yield* ask('insertEffect', effectInput({ n: 4 }));
  yield* ask('uncountAttempt', { run: 1, n: 1, fence: 1 });
  yield* ask('settleEffect', { run: 1, n: 1, status: 'done', at: 12 });
  yield* ask('startEffect', { run: 1, n: 2, driver: 1, fence: 1, status: 'started', attempts: 1, at: 12 });
  yield* ask('changeEffectInput', { run: 1, n: 2, input: 'x' });
  yield* ask('closeEffect', { run: 1, n: 3, at: 12 });
  yield* ask('clearTimer', { run: 1, id: 'a' });
  yield* ask('fireTimer', { run: 1, id: 'b', dueAt: 60 });
  yield* ask('setTimer', { run: 1, tenant: 1, id: 'c', event: 'other', dueAt: 10 });
  yield* ask('setTimer', { run: 1, tenant: 1, id: 'd', event: 'd.due', dueAt: 20 });
  yield* ask('insertMessage', messageInput({ seq: 2 }));
  yield* ask('decideConfirmation', { run: 1, call: 1, status: 'rejected', decision: '"no"' });
  yield* ask('insertConfirmation', confirmationInput({ kind: 'reconcile' }));
  yield* ask('insertConfirmation', confirmationInput({ call: 2 }));
  yield* ask('revokeGrant', { session: 1, n: 1, at: 12 });
  yield* ask('insertGrant', grantInput({ tool: 'other' }));
  yield* ask('insertArtifact', artifactInput({ id: 'a2' }));
  yield* ask('insertDriver', driverInput({ name: 'drv_c' }));
  yield* ask('noteDriverError', { epoch: 1, error: '{}' });
  yield* ask('settleCommand', { id: 1, outcome: '{}', at: 12 });
  yield* ask('insertCommand', commandInput({ run: 2 }));
  yield* ask('moveSessionPruning', { session: 1, run: 1, seq: 1 });
  yield* ask('insertUsage', usageInput({ n: 2 }));
  yield* ask('forgetSessionUsage', { tenant: 1, sessionKey: 's1' });
  yield* ask('ensureBudget', { ...budget, maxTokens: 2, maxCostUsd: 1, at: 2 });
  yield* ask('spendBudget', { ...budget, tokens: 5, costUsd: 0.5, at: 3 });
  yield* ask('putHold', holdInput({ tokens: 1 }));
  yield* ask('deleteHold', { run: 1, n: 2 });
  yield* ask('putHold', holdInput());
  yield* ask('deleteHoldsOf', { run: 2 });
  yield* ask('putAnswer', { tenant: 1, key: 'k2', answer: 'new', at: 6 });
  yield* ask('deleteAnswersBefore', { before: 2 });
  yield* ask('deleteAnswersOf', { tenant: 1 });
  const { pk: gone } = yield* ask('insertSession', { tenant: 1, key: 's3', user: null, at: 7 });
  yield* ask('insertRun', runInput({ id: 'gone', session: gone }));
  yield* ask('deleteRunsOf', { session: gone });
  yield* ask('deleteSession', { session: gone });
  yield* ask('deleteRunsOf', { session: 1 });
}
