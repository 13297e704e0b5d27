import { expect } from 'vitest';
import type { Request } from '../../src/store/program.ts';
import { type CommandRow, noDriver, type RunRow } from '../../src/store/rows.ts';
import type { In, Out, StatementName } from '../../src/store/statements.ts';
import type { Store } from '../../src/store/store.ts';
import { ask } from '../support/ask.ts';

/** Commits one statement alone. */
export function put<K extends StatementName>(store: Store, name: K, input: In<K>): Promise<Out<K>> {
  return store.commit(() => ask(name, input));
}

export function runInput(over: Partial<In<'insertRun'>> = {}): In<'insertRun'> {
  return {
    tenant: 1,
    id: 'r1',
    session: 1,
    ordinal: 1,
    machine: 'run',
    version: 1,
    seq: 0,
    ended: 0,
    state: '"idle"',
    context: '{}',
    input: '{"prompt":"hi"}',
    options: '{}',
    output: null,
    driver: noDriver,
    lastDriver: null,
    fence: 1,
    createdAt: 10,
    ...over,
  };
}

export function eventInput(over: Partial<In<'insertEvent'>> = {}): In<'insertEvent'> {
  const event = { run: 1, tenant: 1, seq: 1, type: 'run.start', body: '{}', at: 11, path: 'a.b', hash: 'ff' };
  return { ...event, inFeed: 1, ...over };
}

/** The key of a program's command to a run. */
export function requestKeyInput(over: Partial<In<'insertRequestKey'>> = {}): In<'insertRequestKey'> {
  const key = { tenant: 1, name: 'k1', owner: '', digest: '', driver: 1, effect: 'null', at: 11 };
  return { ...key, run: 1, ...over };
}

export function effectInput(over: Partial<In<'insertEffect'>> = {}): In<'insertEffect'> {
  const effect = { run: 1, tenant: 1, n: 1, name: 'think', params: '{}', input: null, attempt: 1, at: 11 };
  return { ...effect, status: 'started', driver: 1, fence: 1, ...over };
}

export function driverInput(over: Partial<In<'insertDriver'>> = {}): In<'insertDriver'> {
  return { pid: 70, name: 'drv_a', address: null, token: '', at: 1, ...over };
}

export function commandInput(over: Partial<In<'insertCommand'>> = {}): In<'insertCommand'> {
  return { tenant: 1, run: 1, kind: 'cancel', body: '{"reason":"late"}', at: 11, ...over };
}

export function messageInput(over: Partial<In<'insertMessage'>> = {}): In<'insertMessage'> {
  return { session: 1, tenant: 1, run: 1, seq: 1, i: 0, role: 'user', body: '{}', at: 11, ...over };
}

export function confirmationInput(over: Partial<In<'insertConfirmation'>> = {}): In<'insertConfirmation'> {
  return { run: 1, tenant: 1, call: 1, kind: 'confirm', hash: 'ff', body: '{}', askedAt: 11, ...over };
}

export function artifactInput(over: Partial<In<'insertArtifact'>> = {}): In<'insertArtifact'> {
  const text = { encoding: 'utf8', body: 'long', createdAt: 11 } as const;
  return { tenant: 1, id: 'a1', run: 1, mime: 'text/plain', ...text, ...over };
}

export function usageInput(over: Partial<In<'insertUsage'>> = {}): In<'insertUsage'> {
  const call = { tenant: 1, runId: 'r1', sessionKey: 's1', n: 1, i: 0, purpose: 'think', at: 11 } as const;
  const tokens = { inputTokens: 100, outputTokens: 10, cachedInputTokens: 4, cacheWriteTokens: 2 };
  return {
    ...call,
    ...tokens,
    reasoningTokens: 1,
    day: '1970-01-01',
    asked: 'openai/a',
    answered: 'a-1',
    costUsd: 0.5,
    cached: 0,
    error: null,
    estimated: 0,
    ...over,
  };
}

export function holdInput(over: Partial<In<'putHold'>> = {}): In<'putHold'> {
  const of = { tenant: 1, budget: 'b1', period: '' };
  return {
    ...of,
    run: 1,
    n: 1,
    tokens: 50,
    costUsd: 0.25,
    leastTokens: 20,
    leastCostUsd: 0.1,
    expiresAt: 100,
    ...over,
  };
}

export function grantInput(over: Partial<In<'insertGrant'>> = {}): In<'insertGrant'> {
  const given = { tool: 'write_file', pattern: '{}', by: null, runId: 'r1', call: 3, at: 11 };
  return { session: 1, tenant: 1, ...given, ...over };
}

/** Session 1 with runs 1 to `runs` (`r1` …) in its lane, of tenant 1. */
export async function withRuns(store: Store, runs = 1): Promise<Store> {
  await store.commit(function* () {
    yield* ask('insertSession', { tenant: 1, key: 's1', user: null, at: 5 });
    for (let n = 1; n <= runs; n++) yield* ask('insertRun', runInput({ id: `r${n}`, ordinal: n }));
  });
  return store;
}

/** Registers drivers with the epochs 1 to `count`. */
export async function withDrivers(store: Store, count: number): Promise<void> {
  for (let epoch = 1; epoch <= count; epoch++)
    await put(store, 'insertDriver', driverInput({ pid: 70 + epoch, name: `drv_${epoch}` }));
}

/** Gives a run that {@link withRuns} made, and that had no driver yet, to a registered driver. */
export async function give(store: Store, pk: number, me: number): Promise<void> {
  expect(await put(store, 'claimRun', { pk, seen: 1, me })).toBe(1);
}

/** Ends a run that {@link withRuns} made. */
export async function endRun(store: Store, pk: number): Promise<void> {
  const ended = { pk, was: 0, wasDriver: noDriver, seq: 1, fence: 1, state: '"done"', context: '{}' };
  expect(await put(store, 'endRun', { ...ended, output: null, updatedAt: 12 })).toBe(1);
}

export const idOf = (row: Pick<RunRow, 'id'>) => row.id;

const limit = 1_000;

/** The place of all messages of a run, for `pageMessagesOfRun`. */
export const allOfRun = { seq: -1, i: 0, upTo: limit, maxBytes: 1_000_000 };

/** Of the sessions, all that are not those of a job's ended slots. */
export const every = { without: 1, kept: 0, key: '' } as const;

/** The commands to a run that wait, in their order: the first hundred of the database are read. */
export async function waitingFor(store: Pick<Store, 'query'>, run: number): Promise<CommandRow[]> {
  const ids = Array.from({ length: 100 }, (_, i) => i + 1);
  const commands = await Promise.all(ids.map((id) => store.query('findCommand', { id })));
  return commands.flatMap((one) => (one?.run === run && one.outcome === null ? [one] : []));
}

/** Every reading statement, for sessions and runs numbered 1 to 5. */
const readings: readonly Request[] = [
  ...[1, 2].flatMap((tenant): Request[] => [
    ['listSessions', { ...every, tenant, limit }],
    ['listSessions', { ...every, tenant, limit, kept: 1, key: 's1' }],
    ['listRuns', { tenant, limit }],
    ['listRunsBefore', { tenant, below: 3, limit }],
    ['newestRun', { tenant }],
    ['listRunIds', { tenant, from: '', below: 'z', limit }],
    ['listRunMarks', { tenant, after: 0, limit }],
    ...['s1', 's2', 's3'].map((key): Request => ['findSession', { tenant, key }]),
    ...['r1', 'r2', 'r3', 'r4'].map((id): Request => ['loadRun', { tenant, id }]),
    ...['r1', 'r2', 'r3', 'r4'].map((id): Request => ['findRunOwner', { tenant, id, reach: null }]),
    ['listUserSessions', { ...every, tenant, user: 'ada', limit }],
    ['listUserSessions', { ...every, tenant, user: 'ada', limit, kept: 1, key: 's1' }],
    ['listUserRunsBefore', { tenant, user: 'ada', below: 9, limit }],
    ...['a1', 'a2'].map((id): Request => ['findArtifact', { tenant, id }]),
    ...['r1', 'r2', 'r3', 'r4'].map((runId): Request => ['listUsageOf', { tenant, runId }]),
    ...(['all', 'day', 'model', 'session', 'run', 'purpose'] as const).map(
      (by): Request => [
        'sumUsage',
        { tenant, by, from: 0, to: 9, sessionKey: null, user: null, runId: null, reach: null, limit },
      ],
    ),
    ['listBudgets', { tenant, day: 'd1', month: 'm1', now: 1 }],
    ...['k1', 'k2'].map((key): Request => ['findAnswer', { tenant, key, since: 0 }]),
    ...['k1', 'k2'].map((name): Request => ['findRequestKey', { tenant, name }]),
  ]),
  ...[1, 2, 3, 4, 5].flatMap((n): Request[] => [
    ['describeSession', { session: n }],
    ['lastOrdinal', { session: n }],
    ['laneHead', { session: n }],
    ['listActiveRunsOf', { session: n }],
    ['listRunsOf', { session: n, limit }],
    ['listMessages', { session: n, run: 0, seq: 0 }],
    ...[1, 2].map((run): Request => ['pageMessagesOfRun', { ...allOfRun, session: n, run }]),
    ['listMessagesBefore', { session: n, run: 2, limit }],
    ['firstUserMessage', { session: n, from: 1, to: 2 }],
    ['lastSummary', { session: n }],
    ['listSummaries', { session: n }],
    ['listGrants', { session: n }],
    ['listEvents', { run: n, after: -1, limit }],
    ['listEffects', { run: n, after: 0 }],
    ['listOpenEffects', { run: n }],
    ['findEffect', { run: n, n: 1 }],
    ['listTimers', { run: n }],
    ['listConfirmations', { run: n }],
    ['findConfirmation', { run: n, call: 1 }],
    ['findHold', { run: n, n: 1 }],
    ['findCommand', { id: n }],
  ]),
  ['listActiveRuns', {}],
  ...[0, 1, 2].map((ordinal): Request => ['listActiveRunsAfter', { session: 1, ordinal, limit }]),
  ['listAbandonedRuns', { after: 0, limit }],
  ['listSoonestTimers', { before: Number.MAX_SAFE_INTEGER, limit }],
  ...[0, 1, 2, 3].flatMap((epoch): Request[] => [
    ['findDriver', { epoch }],
    ['listBegunRunsOf', { driver: epoch }],
    ['listOwnHeads', { driver: epoch }],
    ['listCommandsFor', { driver: epoch }],
    ...([0, 1] as const).flatMap((allAtRest): Request[] => [
      ['listDueTimers', { me: epoch, last: epoch, allAtRest, before: Number.MAX_SAFE_INTEGER, limit }],
    ]),
    ['listDueTimersOf', { me: epoch, last: epoch, before: Number.MAX_SAFE_INTEGER, limit }],
  ]),
  ['listLeftCommands', {}],
  ['listFailingNotices', { limit }],
  ['listPoisonedRuns', { limit }],
  ['newestMoments', {}],
  ['listDrivers', {}],
];

/** What every reading statement answers, for sessions and runs numbered 1 to 5. */
export function readAll(store: Store): Promise<unknown[]> {
  return Promise.all(readings.map(([name, input]) => store.query(name, input as In<typeof name>)));
}
