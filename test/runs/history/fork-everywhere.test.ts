import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { replay } from '../../../src/engine/log/replay.ts';
import { forkAt } from '../../../src/runs/history/fork.ts';
import { randomId } from '../../../src/text/ids.ts';
import { itDeep } from '../../support/deep.ts';
import { LongRun, standing, tenant } from './long-run.ts';
import { forkedFrom, found } from './standing.ts';

/** Everything that the database holds of these sessions, as it is stored. */
function dump(long: LongRun, sessions: readonly string[]): string {
  const db = new Sqlite(join(long.workspace, 'long.db'), { readonly: true });
  const marks = sessions.map(() => '?').join();
  const of = (table: string, column: string) =>
    db
      .prepare(
        `select * from ${table} where ${column} in (select r.pk from runs r join sessions s on s.pk = r.session_pk where s.key in (${marks}))`,
      )
      .all(...sessions);
  const rows = {
    sessions: db.prepare(`select * from sessions where key in (${marks})`).all(...sessions),
    runs: of('runs', 'pk'),
    children: ['run_events', 'effects', 'timers', 'messages', 'confirmations', 'artifacts'].map((table) =>
      of(table, 'run_pk'),
    ),
  };
  db.close();
  return JSON.stringify(rows);
}

/** Resumes a run and says yes to everything until it has ended. */
async function finish({ core }: LongRun, runId: string) {
  await core.runs.resume(tenant, { runId });
  for (;;) {
    const view = await core.runs.settled(tenant, runId);
    if (view.status !== 'waiting') return view;
    for (const { kind, callId } of view.pending)
      if (kind === 'reconcile') await core.runs.reconcile(tenant, runId, callId, { verdict: 'retry' });
      else await core.runs.confirm(tenant, runId, callId, { verdict: 'approve' });
  }
}

describe('a run with everything in it', () => {
  it('is forked at every one of its transitions: nothing happens, the original stays, and each fork finishes', async () => {
    const long = new LongRun();
    expect(await long.live()).toMatchObject({ status: 'done', outcome: 'completed' });
    const { core, runId } = long;
    const { store, hosts, redact } = core;
    const row = await core.runs.row(tenant, runId);
    expect(row.seq).toBeGreaterThanOrEqual(30);
    const stood = long.seen.get(runId);
    const original = dump(long, ['long']);
    const asked = long.model.requests.length;
    const executed = long.executed.length;

    const forks: string[] = [];
    for (let seq = 0; seq <= row.seq; seq++) {
      const at = Date.now();
      const fork = await forkAt(store, hosts, { tenant, runId, seq, newId: randomId, redact, at });
      forks.push(fork.runId);
      const copy = await core.runs.row(tenant, fork.runId);
      expect(copy).toMatchObject({ sessionKey: fork.sessionId, ordinal: 2, seq, fence: 0, createdAt: at });
      const before = stood?.get(seq);
      if (before) {
        expect([seq, found(await standing(store, copy), at)]).toEqual([seq, forkedFrom(before)]);
        expect(copy.updatedAt).toBe(before.row.updatedAt);
      } else expect(seq).toBe(0);
      const open = await store.query('listOpenEffects', { run: copy.pk });
      expect(fork.open.map(({ effect, status }) => [effect, status])).toEqual(
        open.map(({ n, status }) => [n, status]),
      );
    }
    expect([long.model.requests.length, long.executed.length]).toEqual([asked, executed]);
    expect(dump(long, ['long'])).toBe(original);

    for (const [seq, fork] of forks.entries()) {
      const { status, error } = await finish(long, fork);
      expect([seq, status, error]).toEqual([seq, 'done', null]);
      const copy = await core.runs.row(tenant, fork);
      const events = await store.query('listEvents', { run: copy.pk, after: 0, limit: 10_000 });
      expect([seq, replay(hosts, copy, events, redact)]).toEqual([
        seq,
        { diverged: null, folded: events.length },
      ]);
    }
    expect(dump(long, ['long'])).toBe(original);
    console.log(
      `fork everywhere: ${forks.length} forks, 0 model calls and 0 tool calls by forking, ${long.model.requests.length - asked} and ${long.executed.length - executed} by resuming them`,
    );
  });

  itDeep('can be forked from a fork at every seq of that, too', async () => {
    const long = new LongRun();
    await long.live();
    const { store, hosts, redact } = long.core;
    const row = await long.core.runs.row(tenant, long.runId);
    const request = { tenant, newId: randomId, redact };
    const first = await forkAt(store, hosts, {
      ...request,
      runId: long.runId,
      seq: row.seq,
      at: 2_000_000_000_000,
    });
    const asked = long.model.requests.length;
    for (let seq = 0; seq <= row.seq; seq++) {
      const own = await forkAt(store, hosts, { ...request, runId: long.runId, seq, at: 2_100_000_000_000 });
      const again = await forkAt(store, hosts, {
        ...request,
        runId: first.runId,
        seq,
        at: 2_100_000_000_000,
      });
      const [a, b] = await Promise.all(
        [own, again].map(async (fork) => standing(store, await long.core.runs.row(tenant, fork.runId))),
      );
      if (!a || !b) throw new Error('a fork is gone');
      expect([seq, again.open, found(b, 2_100_000_000_000)]).toEqual([
        seq,
        own.open,
        found(a, 2_100_000_000_000),
      ]);
    }
    expect(long.model.requests).toHaveLength(asked);
    const last = await forkAt(store, hosts, { ...request, runId: first.runId, seq: 22, at: Date.now() });
    expect(await finish(long, last.runId)).toMatchObject({ status: 'done', outcome: 'completed' });
  });
});
