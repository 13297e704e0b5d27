import fc from 'fast-check';
import { expect, it } from 'vitest';
import { DetentError } from '../../src/protocol/error.ts';
import { createInProcessStore } from '../../src/store/in-process/index.ts';
import type { Program, Request } from '../../src/store/program.ts';
import { openSqlite } from '../../src/store/sql/sqlite.ts';
import type { In, StatementName } from '../../src/store/statements.ts';
import type { Store } from '../../src/store/store.ts';
import { inSizes } from '../support/size.ts';
import { driverInput, put, readAll, runInput } from './rows.ts';
import { otherTenant, twoTenants } from './two-tenants.ts';

// Few values of each kind, so that statements meet each other's rows; some name what does not exist.
const tenant = fc.constantFrom(1, 2);
const session = fc.constantFrom(1, 1, 2, 3, 4);
const run = fc.constantFrom(1, 1, 1, 2, 2, 4, 5);
const small = fc.constantFrom(0, 0, 1, 1, 2, 3);
const key = fc.constantFrom('s1', 's2', 's3');
const id = fc.constantFrom('r1', 'r2', 'r3', 'r4');
const artifact = fc.constantFrom('a1', 'a2');
const dedupe = fc.constantFrom('k1', 'k2');
const timer = fc.constantFrom('a', 'b', '夜');
const text = fc.constantFrom('{}', '{"text":"漢字 🚀"}', '');
/** Of a run: of the default agent, of another one, and for a call of the workflow or run above. */
const options = fc.constantFrom(
  '{}',
  '{"agent":"staff"}',
  '{"agent":"\\"a"}',
  '{"call":{},"parentRunId":"r1"}',
  '{"call":{}}',
);
const reach = fc.constantFrom(
  '[]',
  '["agent:"]',
  '["workflow:"]',
  '["agent:default","workflow:w"]',
  '["agent:staff","workflow:"]',
  '["agent:\\"a","agent:x"]',
  '["workflow:v","run"]',
);
const user = fc.constantFrom('ada', 'ada', 'bob');
const maybe = fc.constantFrom(null, 'x');
const fence = fc.constantFrom(1, 1, 2, 2, 3);
/** Epochs; 0 is `noDriver`, and the fourth is yet to come. */
const driver = fc.constantFrom(0, 1, 1, 2, 3, 4);
const whose = fc.constantFrom(null, 0, 0, 1, 1, 2);
const flag = fc.constantFrom(0, 1);
const budget = fc.constantFrom('b1', 'b1', 'b2');
const period = fc.constantFrom('', 'd1', 'm1', 'd0');
/** Sums of these are exact in any order. */
const someUsd = fc.constantFrom(0, 0.25, 0.5, 1.75);
const usd = fc.option(someUsd);
const status = fc.constantFrom(
  'held',
  'pending',
  'started',
  'started',
  'linked',
  'uncertain',
  'done',
  'cancelled',
);
const job = fc.constantFrom('j1', 'j1', 'j2', 'j2', 'j3');
const fireStatus = fc.constantFrom('waiting', 'running', 'ok', 'failed', 'cancelled', 'skipped');
/** Of a page: of none, some or all of the bodies here. */
const bytes = fc.constantFrom(1, 20, 1_000);
const role = fc.constantFrom('user', 'assistant', 'tool', 'summary');

/** A statement that is missing here does not compile. */
const inputs: { [K in StatementName]: fc.Arbitrary<In<K>> } = {
  insertJob: fc.record({
    tenant,
    id: job,
    user: fc.option(user),
    key: text,
    run,
    runId: id,
    source: text,
    createdAt: small,
    updatedAt: small,
  }),
  findJob: fc.record({ tenant, id: job }),
  listJobs: fc.record({ tenant, after: fc.constantFrom('', 'j1'), limit: small }),
  listUserJobs: fc.record({ tenant, user, after: fc.constantFrom('', 'j1'), limit: small }),
  moveJob: fc.record({ tenant, id: job, run, runId: id }),
  touchJob: fc.record({ tenant, id: job, at: small }),
  deleteJob: fc.record({ tenant, id: job }),
  insertFire: fc.record({
    tenant,
    job,
    n: small,
    slot: small,
    kind: fc.constantFrom('slot', 'slot', 'manual'),
    status: fireStatus,
    reason: maybe,
    runId: maybe,
    error: maybe,
    begunAt: fc.option(small),
    endedAt: fc.option(small),
  }),
  beginFire: fc.record({ tenant, job, n: small, at: small }),
  nameFireRun: fc.record({ tenant, job, n: small, runId: id }),
  endFire: fc.record({
    tenant,
    job,
    n: small,
    status: fireStatus,
    reason: maybe,
    error: maybe,
    runId: maybe,
    at: small,
  }),
  findFire: fc.record({ tenant, job, n: small }),
  listFires: fc.record({ tenant, job, below: small, limit: small }),
  listOldFires: fc.record({ tenant, job, after: small, below: small, limit: small }),
  deleteFire: fc.record({ tenant, job, n: small }),
  insertDelivery: fc.record({
    tenant,
    job,
    n: small,
    target: small,
    isAlert: flag,
    spec: text,
    status: fc.constantFrom('pending', 'delivered', 'dead'),
    attempt: small,
    error: maybe,
    dueAt: fc.option(small),
    updatedAt: small,
  }),
  changeDelivery: fc.record({
    tenant,
    job,
    n: small,
    target: small,
    isAlert: flag,
    status: fc.constantFrom('pending', 'delivered', 'dead'),
    attempt: small,
    error: maybe,
    dueAt: fc.option(small),
    updatedAt: small,
  }),
  findDelivery: fc.record({ tenant, job, n: small, target: small, isAlert: flag }),
  listDeliveries: fc.record({ tenant, job, n: small }),
  findTenant: fc.record({ tenant: fc.constantFrom(1, 2, 3) }),
  findTenantNamed: fc.record({ name: fc.constantFrom('default', 'other', 'a', 'b') }),
  listTenants: fc.constant({}),
  insertTenant: fc.record({ name: fc.constantFrom('other', 'a', 'b'), workspace: maybe }),
  setTenantWorkspace: fc.record({ tenant: fc.constantFrom(1, 2, 3), workspace: maybe }),
  findSession: fc.record({ tenant, key }),
  insertSession: fc.record({ tenant, key, user: fc.option(user), at: small }),
  listSessions: fc.record({ tenant, limit: small }),
  listUserSessions: fc.record({ tenant, user, limit: small }),
  describeSession: fc.record({ session }),
  deleteRunsOf: fc.record({ session }),
  deleteSession: fc.record({ session }),
  moveSessionHead: fc.record({ session, run, seq: small }),
  moveSessionPruning: fc.record({ session, run, seq: small }),
  insertRun: fc.record({
    tenant,
    id,
    session,
    ordinal: small,
    machine: fc.constantFrom('run', 'run', 'job', 'workflow:w'),
    version: small,
    seq: small,
    ended: flag,
    state: text,
    context: text,
    input: text,
    options,
    output: maybe,
    driver: whose,
    lastDriver: fc.constantFrom(null, 1, 2),
    fence,
    createdAt: small,
  }),
  loadRun: fc.record({ tenant, id }),
  advanceRun: fc.record({
    pk: run,
    was: small,
    wasDriver: whose,
    seq: small,
    fence,
    state: text,
    context: text,
    updatedAt: small,
  }),
  endRun: fc.record({
    pk: run,
    was: small,
    wasDriver: whose,
    seq: small,
    fence,
    state: text,
    context: text,
    output: maybe,
    updatedAt: small,
  }),
  migrateRun: fc.record({
    pk: run,
    was: small,
    wasDriver: whose,
    seq: small,
    fence,
    version: small,
    state: text,
    context: text,
    options,
  }),
  claimRun: fc.record({ pk: run, seen: fence, me: driver }),
  changeRunOptions: fc.record({ pk: run, options }),
  passRun: fc.record({ pk: run, driver: whose }),
  listAbandonedRuns: fc.record({ after: run, limit: small }),
  listOwnHeads: fc.record({ driver }),
  abandonRunsOf: fc.record({ driver }),
  countFault: fc.record({ pk: run }),
  lastOrdinal: fc.record({ session }),
  laneHead: fc.record({ session }),
  listActiveRuns: fc.constant({}),
  listActiveRunsAfter: fc.record({ session, ordinal: small, limit: small }),
  listActiveRunsOf: fc.record({ session }),
  listRuns: fc.record({ tenant, limit: small }),
  listRunsBefore: fc.record({ tenant, below: small, limit: small }),
  listUserRunsBefore: fc.record({ tenant, user, below: small, limit: small }),
  findRunOwner: fc.record({ tenant, id, reach: fc.option(reach) }),
  findRunBeyond: fc.record({ session, reach }),
  countActiveRuns: fc.record({ tenant, user: fc.option(user), reach: fc.option(reach) }),
  countEndedRuns: fc.record({ tenant, user: fc.option(user), reach: fc.option(reach), since: small }),
  newestRun: fc.record({ tenant }),
  listRunIds: fc.record({ tenant, from: id, below: id, limit: small }),
  listRunsOf: fc.record({ session, limit: small }),
  listLeftJobRuns: fc.record({ before: small, limit: small }),
  deleteRun: fc.record({ run }),
  listRunMarks: fc.record({ tenant, after: small, limit: small }),
  insertEvent: fc.record({
    tenant,
    run,
    seq: small,
    type: fc.constantFrom('run.message', 'run.start'),
    body: fc.constantFrom('{}', '{"by":"ada"}', '{"by":"bob"}'),
    at: small,
    path: text,
    hash: text,
    key: fc.option(dedupe),
  }),
  findEventByKey: fc.record({ run, key: dedupe }),
  listPaths: fc.record({
    places: fc
      .uniqueArray(fc.tuple(run, small), { maxLength: 4, selector: String })
      .map((all) => JSON.stringify(all)),
  }),
  listMessengers: fc.record({ run }),
  listEvents: fc.record({ run, after: small, limit: small, maxBytes: bytes }),
  listFoldStarts: fc.record({ run }),
  copyEvents: fc.record({ from: run, run, upTo: small, tenant }),
  insertEffect: fc.record({
    tenant,
    run,
    n: small,
    name: text,
    params: text,
    input: maybe,
    status,
    attempt: small,
    driver: whose,
    fence,
    at: small,
  }),
  startEffect: fc.record({
    run,
    n: small,
    driver: whose,
    fence,
    status: fc.constantFrom('started', 'pending'),
    attempts: fc.constantFrom(0, 1),
    at: small,
  }),
  settleEffect: fc.record({ run, n: small, status, at: small }),
  uncountAttempt: fc.record({ run, n: small, fence: small }),
  closeEffect: fc.record({ run, n: small, at: small }),
  changeEffectInput: fc.record({ run, n: small, input: text }),
  changeEffect: fc.record({ run, n: small, name: text, params: text }),
  findEffect: fc.record({ run, n: small }),
  listOpenEffects: fc.record({ run }),
  listEffects: fc.record({ run }),
  setTimer: fc.record({ tenant, run, id: timer, event: text, dueAt: small }),
  clearTimer: fc.record({ run, id: timer }),
  fireTimer: fc.record({ run, id: timer, dueAt: small }),
  listTimers: fc.record({ run }),
  listDueTimers: fc.record({ me: driver, allAtRest: flag, before: small, limit: small }),
  listSoonestTimers: fc.record({ before: small, limit: small }),
  listDueTimersOf: fc.record({ me: driver, before: small, limit: small }),
  insertMessage: fc.record({ tenant, session, run, seq: small, i: flag, role, body: text, at: small }),
  listMessages: fc.record({ session, run, seq: small }),
  pageMessagesOfRun: fc.record({ session, run, seq: small, i: small, upTo: small, maxBytes: bytes }),
  listMessagesOfRun: fc.record({ session, run }),
  deleteMessagesOfRun: fc.record({ session, run }),
  listMessagesBefore: fc.record({ session, run, limit: small }),
  firstUserMessage: fc.record({ session, from: small, to: small }),
  lastSummary: fc.record({ session }),
  listSummaries: fc.record({ session }),
  insertConfirmation: fc.record({
    tenant,
    run,
    call: small,
    kind: text,
    hash: text,
    body: text,
    askedAt: small,
  }),
  decideConfirmation: fc.record({
    run,
    call: small,
    status: fc.constantFrom('open', 'approved', 'rejected'),
    decision: text,
  }),
  findConfirmation: fc.record({ run, call: small }),
  listConfirmations: fc.record({ run }),
  feedHead: fc.record({ tenant }),
  listFeed: fc.record({ tenant, user: fc.option(user), after: fc.nat(3), upTo: fc.nat(9) }),
  listUntold: fc.record({ after: fc.nat(4), limit: fc.nat(4) }),
  markTold: fc.record({ run, call: fc.nat(3), n: fc.nat(3), told: fc.constantFrom(1 as const, 2 as const) }),
  insertGrant: fc.record({
    tenant,
    session,
    tool: text,
    pattern: text,
    by: maybe,
    runId: id,
    call: small,
    at: small,
  }),
  listGrants: fc.record({ session }),
  revokeGrant: fc.record({ session, n: small, at: small }),
  insertArtifact: fc.record({
    tenant,
    id: artifact,
    run,
    mime: text,
    encoding: fc.constantFrom('utf8', 'base64'),
    body: text,
    createdAt: small,
  }),
  findArtifact: fc.record({ tenant, id: artifact }),
  findArtifactRun: fc.record({ tenant, id: artifact }),
  insertUsage: fc.record({
    tenant,
    runId: id,
    sessionKey: key,
    n: small,
    i: flag,
    purpose: fc.constantFrom('think', 'flush', 'compact'),
    at: small,
    day: fc.constantFrom('d1', 'd2'),
    asked: fc.constantFrom('p/a', 'p/b'),
    answered: maybe,
    inputTokens: small,
    outputTokens: small,
    cachedInputTokens: small,
    cacheWriteTokens: small,
    reasoningTokens: small,
    costUsd: usd,
    cached: flag,
    error: maybe,
    estimated: flag,
  }),
  forgetRunUsage: fc.record({ tenant, runId: id, from: small, to: small }),
  forgetSessionUsage: fc.record({ tenant, sessionKey: key }),
  listUsageOf: fc.record({ tenant, runId: id }),
  sumUsage: fc.record({
    tenant,
    by: fc.constantFrom('all', 'day', 'model', 'session', 'user', 'run', 'purpose'),
    from: small,
    to: small,
    sessionKey: fc.option(key),
    user: fc.option(user),
    runId: fc.option(id),
    reach: fc.option(reach),
    limit: small,
  }),
  ensureBudget: fc.record({
    tenant,
    id: budget,
    period,
    maxTokens: fc.option(small),
    maxCostUsd: usd,
    at: small,
  }),
  findBudget: fc.record({ tenant, id: budget, period, now: small, run, n: small }),
  listBudgets: fc.record({ tenant, day: fc.constant('d1'), month: fc.constant('m1'), now: small }),
  spendBudget: fc.record({ tenant, id: budget, period, tokens: small, costUsd: someUsd, at: small }),
  putHold: fc.record({
    tenant,
    run,
    n: small,
    budget,
    period,
    tokens: small,
    costUsd: someUsd,
    expiresAt: small,
  }),
  findHold: fc.record({ run, n: small }),
  deleteHold: fc.record({ run, n: small }),
  deleteHoldsOf: fc.record({ run }),
  deleteHoldsOfDriver: fc.record({ driver }),
  findAnswer: fc.record({ tenant, key: dedupe, since: small }),
  putAnswer: fc.record({ tenant, key: dedupe, answer: text, at: small }),
  deleteAnswersBefore: fc.record({ before: small }),
  deleteAnswersOf: fc.record({ tenant }),
  insertCommand: fc.record({ tenant, run, kind: text, body: text, at: small }),
  findCommand: fc.record({ id: small }),
  listCommandsTo: fc.record({ run }),
  listCommandsFor: fc.record({ driver }),
  listLeftCommands: fc.constant({}),
  settleCommand: fc.record({ id: small, outcome: text, at: small }),
  insertDriver: fc.record({ pid: small, name: text, address: maybe, token: text, at: small }),
  findDriver: fc.record({ epoch: driver }),
  listDrivers: fc.constant({}),
  endDriver: fc.record({ epoch: driver, at: small }),
  noteDriverError: fc.record({ epoch: driver, error: text }),
  insertUpload: fc.record({
    tenant,
    id,
    user: maybe,
    name: maybe,
    mime: text,
    body: text,
    createdAt: small,
  }),
  findUpload: fc.record({ tenant, id }),
  deleteUploadsBefore: fc.record({ at: small }),
  putTaintedFile: fc.record({ tenant, path: key, bytes: small, hash: text }),
  deleteTaintedFile: fc.record({ tenant, path: key }),
  listTaintedFiles: fc.record({ tenant }),
  insertRequestKey: fc.record({ tenant, name: key, owner: user, digest: text, driver, at: small }),
  findRequestKey: fc.record({ tenant, name: key }),
  passRequestKey: fc.record({ tenant, name: key, was: driver, driver }),
  answerRequestKey: fc.record({ tenant, name: key, driver, answer: text }),
  deleteRequestKey: fc.record({ tenant, name: key, driver }),
  deleteRequestKeysBefore: fc.record({ at: small }),
  deleteSurplusRequestKeys: fc.record({ tenant, owner: user, keep: small }),
  insertAccessToken: fc.record({
    id,
    tenant,
    user: fc.option(text),
    name: text,
    scopes: text,
    secretHash: text,
    createdAt: small,
    expiresAt: fc.option(small),
    maxRuns: fc.option(small),
    sight: maybe,
  }),
  findAccessToken: fc.record({ id }),
  listAccessTokens: fc.record({ tenant: fc.option(tenant) }),
  revokeAccessToken: fc.record({ id, tenant, at: small }),
};

const request = fc.oneof(
  ...Object.entries(inputs).map(([name, input]) => ({
    // So that the others find something.
    weight: /^(insert|set|put|ensureBudget|claim)/.test(name) ? 3 : 1,
    arbitrary: (input as fc.Arbitrary<unknown>).map((value) => [name, value] as unknown as Request),
  })),
);

interface Plan {
  requests: Request[];
  throws: boolean;
}

const plan: fc.Arbitrary<Plan> = fc.record({
  requests: fc.array(request, { maxLength: 6, size: 'max' }),
  throws: fc.constantFrom(false, false, false, false, true),
});

/** Programs of one group arrive together. */
const groups = fc.array(fc.array(plan, { minLength: 1, maxLength: 4, size: 'max' }), {
  minLength: 1,
  maxLength: 40,
  size: 'max',
});

/** Three drivers and sessions, two of them with a lane; run 5, session 4 and driver 4 are yet to come. */
const beginning: Request[] = [
  ['insertSession', { tenant: 1, key: 's1', user: null, at: 1 }],
  ['insertSession', { tenant: 2, key: 's1', user: null, at: 2 }],
  ['insertSession', { tenant: 1, key: 's2', user: 'ada', at: 3 }],
  ...[1, 2, 3].map((epoch) => ['insertDriver', driverInput({ pid: epoch })] as const),
  ...[0, 2, 4].map((ordinal) => ['insertRun', runInput({ id: `r${ordinal}`, ordinal, fence: 2 })] as const),
  ['insertRun', runInput({ tenant: 2, session: 2, driver: 2, lastDriver: 2 })],
];

class Thrown extends Error {
  readonly answers: unknown[];

  constructor(answers: unknown[]) {
    super('thrown');
    this.answers = answers;
  }
}

function* programOf({ requests, throws }: Plan): Program<unknown[]> {
  const answers: unknown[] = [];
  for (const one of requests) answers.push(yield one);
  if (throws) throw new Thrown(answers);
  return answers;
}

async function outcome(store: Store, one: Plan): Promise<unknown> {
  try {
    return { kept: await store.commit(() => programOf(one)) };
  } catch (error) {
    if (error instanceof Thrown) return { thrown: error.answers };
    if (DetentError.is(error)) return { refused: error.code };
    throw error;
  }
}

it('both stores answer any sequence of programs alike', { timeout: 300_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(groups, async (sequence) => {
      const sqlite = await openSqlite({ file: await twoTenants(), synchronous: 'NORMAL' });
      const inProcess = createInProcessStore();
      await put(inProcess, 'insertTenant', otherTenant);
      try {
        for (const store of [sqlite, inProcess])
          await store.commit(() => programOf({ requests: beginning, throws: false }));
        for (const group of sequence) {
          const [theirs, ours] = await Promise.all(
            [sqlite, inProcess].map((store) => Promise.all(group.map((one) => outcome(store, one)))),
          );
          expect(ours).toEqual(theirs);
        }
        expect(await readAll(inProcess)).toEqual(await readAll(sqlite));
      } finally {
        await sqlite.close();
      }
    }),
    { numRuns: inSizes({ usual: 30, deep: 150, full: 3_000 }) },
  );
});
