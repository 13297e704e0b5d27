import Sqlite from 'better-sqlite3';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { openInMemory } from '../../../src/store/sql/in-memory.ts';
import type { StatementName } from '../../../src/store/statements.ts';

/** How SQLite would perform a statement: https://www.sqlite.org/eqp.html */
const plans = new Map<StatementName, string>();

/** What a session of any length, among any number of runs, asks all the time. */
const hot: readonly StatementName[] = [
  'findSession',
  'describeSession',
  'deleteSession',
  'moveSessionHead',
  'moveSessionPruning',
  'loadRun',
  'findRunOwner',
  'listUserSessions',
  'advanceRun',
  'endRun',
  'migrateRun',
  'claimRun',
  'passRun',
  'listBegunRunsOf',
  'listOwnHeads',
  'abandonRunsOf',
  'lastOrdinal',
  'laneHead',
  'listActiveRunsAfter',
  'listActiveRunsOf',
  'listRuns',
  'listRunsBefore',
  'newestRun',
  'listRunIds',
  'listRunsOf',
  'listRunMarks',
  'listEvents',
  'startEffect',
  'settleEffect',
  'uncountAttempt',
  'closeEffect',
  'changeEffect',
  'findEffect',
  'listOpenEffects',
  'clearTimer',
  'fireTimer',
  'listDueTimers',
  'listSoonestTimers',
  'listMessages',
  'listMessagesBefore',
  'firstUserMessage',
  'listSummaries',
  'decideConfirmation',
  'findConfirmation',
  'listGrants',
  'revokeGrant',
  'findArtifact',
  'forgetSessionUsage',
  'findBudget',
  'listBudgets',
  'spendBudget',
  'findHold',
  'deleteHold',
  'deleteHoldsOf',
  'findAnswer',
  'deleteAnswersBefore',
  'deleteAnswersOf',
  'findCommand',
  'settleCommand',
  'findDriver',
  'endDriver',
  'noteDriverError',
];

/** Those of which a test below says more. */
const others: readonly StatementName[] = [
  'sumUsage',
  'listUserRunsBefore',
  'listAbandonedRuns',
  'listCommandsFor',
  'listLeftCommands',
  'listDueTimersOf',
  'listDrivers',
  'deleteHoldsOfDriver',
];

beforeAll(async () => {
  const store = openInMemory();
  const { prepare } = Sqlite.prototype;
  for (const name of [...hot, ...others]) {
    const spy = vi.spyOn(Sqlite.prototype, 'prepare');
    await store.query(name, new Proxy({}, { get: () => 1 }) as never);
    const [handle] = spy.mock.contexts as Sqlite.Database[];
    const sql = spy.mock.calls[0]?.[0] ?? '';
    spy.mockRestore();
    const values = [...sql.matchAll(/\?/g)].map(() => 1);
    const rows = prepare.call(handle, `EXPLAIN QUERY PLAN ${sql}`).all(values) as { detail: string }[];
    plans.set(name, rows.map(({ detail }) => detail).join('\n'));
  }
  await store.close();
});

describe('SQLite plans', () => {
  it.each(hot)('of %s scan no table and sort no rows', (name) => {
    expect(plans.get(name)).toMatch(/^SEARCH/);
    expect(plans.get(name)).not.toMatch(/SCAN|TEMP B-TREE/);
  });

  it('of sumUsage reads what one tenant used in one stretch of time, and sorts only its groups', () => {
    expect(plans.get('sumUsage')).toMatch(
      /^SEARCH usage USING PRIMARY KEY \(tenant_id=\? AND at>\? AND at<\?\)/,
    );
    expect(plans.get('sumUsage')).not.toContain('SCAN');
  });

  it('of listUserRunsBefore read the runs of one user’s sessions, and sort only them', () => {
    expect(plans.get('listUserRunsBefore')).toMatch(/^SEARCH sessions USING .*INDEX sessions_of_users/);
    expect(plans.get('listUserRunsBefore')).not.toContain('SCAN');
  });

  it('find the head of a lane among those that have not ended', () => {
    expect(plans.get('laneHead')).toContain('USING INDEX runs_active');
    expect(plans.get('listActiveRunsOf')).toContain('USING INDEX runs_active');
    expect(plans.get('listActiveRunsAfter')).toMatch(/SEARCH runs USING INDEX runs_active(?!.*TEMP B-TREE)/s);
  });

  it('read the messages of a session from the head on', () => {
    expect(plans.get('listMessages')).toContain('(session_pk=? AND run_pk>?)');
  });

  it('find the runs of a driver, and those that want one, among those that have not ended', () => {
    expect(plans.get('listBegunRunsOf')).toMatch(/^SEARCH runs USING INDEX runs_driver /);
    expect(plans.get('listOwnHeads')).toMatch(/^SEARCH runs USING INDEX runs_driver /);
    expect(plans.get('listOwnHeads')).toContain(
      'SEARCH earlier USING COVERING INDEX runs_active (session_pk=? AND ordinal<?)',
    );
    expect(plans.get('abandonRunsOf')).toMatch(/^SEARCH runs USING INDEX runs_driver /);
    expect(plans.get('listAbandonedRuns')).toBe(
      'SEARCH runs USING COVERING INDEX runs_abandoned (driver=? AND pk>?)',
    );
  });

  it('walk the timers by their time, and look each run up', () => {
    for (const name of ['listDueTimers', 'listSoonestTimers'] as const)
      expect(plans.get(name)).toMatch(
        /^SEARCH timers USING (COVERING )?INDEX timers_due.*\nSEARCH runs USING INTEGER PRIMARY KEY \(rowid=\?\)$/,
      );
  });

  it('find the timers of a driver by its runs, not by those of others', () => {
    expect(plans.get('listDueTimersOf')).toBe(
      [
        'MULTI-INDEX OR',
        'INDEX 1',
        'SEARCH runs USING INDEX runs_driver (driver=?)',
        'INDEX 2',
        'SEARCH runs USING INDEX runs_at_rest (last_driver=?)',
        'SEARCH timers USING PRIMARY KEY (run_pk=?)',
        'USE TEMP B-TREE FOR ORDER BY',
      ].join('\n'),
    );
  });

  it('read no command that has an outcome, and no driver that has ended', () => {
    expect(plans.get('listCommandsFor')).toMatch(/^SCAN commands USING INDEX commands_open\n/);
    expect(plans.get('listCommandsFor')).toContain('SEARCH runs USING INTEGER PRIMARY KEY');
    expect(plans.get('listLeftCommands')).toMatch(/^SCAN commands USING INDEX commands_open\n/);
    expect(plans.get('listLeftCommands')).toContain('SEARCH runs USING INTEGER PRIMARY KEY');
    expect(plans.get('listDrivers')).toBe('SCAN drivers USING INDEX drivers_living');
  });

  it('bury a driver by reading the calls in flight, not all runs', () => {
    expect(plans.get('deleteHoldsOfDriver')).toMatch(/^SCAN budget_holds /);
    expect(plans.get('deleteHoldsOfDriver')).toContain('SEARCH runs USING INTEGER PRIMARY KEY');
    expect(plans.get('deleteHoldsOfDriver')).not.toContain('SCAN runs');
  });
});
