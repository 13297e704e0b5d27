import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AnyStateMachine, AnyStateNode } from 'xstate';
import { jobMachine } from '../../machines/job.machine.ts';
import { runMachine } from '../../machines/run.machine.ts';
import { createDetent } from '../../src/index.ts';
import { someOf } from '../support/deep.ts';
import { expectReplays } from '../support/left-behind.ts';
import { type Continued, continueKept, unpack } from './continue.ts';
import type { KeptList } from './kept-list.ts';
import { databaseIn } from './life.ts';

const folder = join(import.meta.dirname, '../fixtures/kept-database');

/** Each was made by the code of its month, and is never made again. */
const kept = readdirSync(folder)
  .filter((file) => file.endsWith('.json'))
  .map((file) => basename(file, '.json'));

const listOf = (name: string) => JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as KeptList;

describe.each(someOf(kept.toReversed(), 1))('a database of %s', (name) => {
  const list = listOf(name);
  let workspace = '';
  let continued: Continued;

  beforeAll(async () => {
    workspace = mkdtempSync(join(tmpdir(), 'detent-kept-'));
    unpack(brotliDecompressSync(readFileSync(join(folder, `${name}.db.br`))), workspace, list.madeIn);
    continued = await continueKept(workspace, list);
  });

  afterAll(async () => {
    await continued?.scheduler.close();
    await continued?.detent.close();
    rmSync(workspace, { recursive: true, force: true });
  });

  describe('a run asks what it asked, and ends as its own code would have ended it', () => {
    const runs = list.runs.filter(({ ends }) => ends);
    it.each(runs)('$machine in $state: $label', ({ id, asks = [], ends }) => {
      expect(continued.asked[id]).toEqual(asks);
      expect(continued.runs[id]).toEqual(ends);
    });
  });

  describe('a job goes on', () => {
    it.each(Object.entries(list.jobs))('%s', (id, { ends }) => {
      expect(continued.jobs[id]).toEqual(ends);
    });
  });

  it('the log of each run folds to its rows, before and after it was continued', async () => {
    await expectReplays(continued.detent);
    const { detent } = continued;
    for (const { id: tenant } of await detent.tenants.list())
      expect((await detent.runs.replayAll(tenant)).filter(({ diverged }) => diverged)).toEqual([]);
  });

  it('a conversation that had ended goes on', async () => {
    const { text } = await continued.detent.run('recall', { sessionId: 'done' }).result;
    expect(text).toContain('call note look; say done');
  });

  it('what a person granted for a session counts', async () => {
    const view = await continued.detent.run('call send; say sent', { sessionId: 'granted' }).result;
    expect(view).toMatchObject({ status: 'done', text: 'sent' });
  });

  it('an answer is taken from the cache', () => {
    expect(continued.again.steps).toMatchObject([{ text: 'the same', cached: true }]);
  });

  it('a file that holds untrusted text taints who reads it', async () => {
    const view = await continued.detent.run('call read_file; say read').result;
    expect(view.tainted?.map(({ tool }) => tool)).toEqual(['read_file']);
  });

  it('a token lets its client in, and an uploaded file is in a prompt', async () => {
    const { token = '', upload = '' } = list.told;
    expect(await continued.detent.tokens.check(token)).toMatchObject({ scopes: ['read'], tenantId: 1 });
    const run = continued.detent.run('say seen', { attachments: [{ id: upload }] });
    expect(await run.result).toMatchObject({ text: 'seen' });
  });

  it('a key that was used has its answer, or its run; one that a dead process was at says so', async () => {
    const { detent } = continued;
    const once = (key: string, isRepeatable = false) =>
      detent.requests.once({ key, name: 'kept', isRepeatable }, async () => 'performed now');
    expect(await once('answered')).toEqual({ said: 'yes' });
    expect(await once('open', true)).toBe('performed now');
    await expect(once('lost')).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    const keyed = detent.run('say keyed', { idempotencyKey: 'the key', sessionId: 'with-a-key' });
    expect(list.runs.find(({ id }) => id === keyed.runId)?.label).toBe('with a key');
  });

  it('a budget has what was spent, and nothing is held', async () => {
    const [team] = await continued.detent.budgets.list();
    expect(team).toMatchObject({ name: 'team', holds: 0, tokens: { held: 0, spent: 45 } });
  });

  it('a deleted session stays deleted', async () => {
    await expect(continued.detent.sessions.show('deleted')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('the kept databases have each state and each table', () => {
  const lists = kept.map(listOf);

  /** No row can rest there. */
  const transient = ['active.working.deciding'];
  /** Only a job whose machine threw three times has it, which is a defect. */
  const defects = ['failed'];
  it.each([
    { id: 'run', machine: runMachine, unreached: transient },
    { id: 'job', machine: jobMachine, unreached: defects },
  ])('of the $id machine', ({ id, machine, unreached }) => {
    const reached = lists.flatMap(({ runs }) => runs.filter((run) => run.machine === id));
    const states = new Set(reached.map(({ state }) => state));
    expect(leavesOf(machine).filter((state) => !states.has(state))).toEqual(unreached);
  });

  it('of the schema', async () => {
    const workspace = mkdtempSync(join(tmpdir(), 'detent-kept-'));
    const detent = createDetent({ workspace, env: {} });
    await detent.runs.list();
    await detent.close();
    const db = new Sqlite(databaseIn(workspace), { readonly: true });
    const tables = db
      .prepare("select name from sqlite_master where type = 'table'")
      .pluck()
      .all() as string[];
    db.close();
    rmSync(workspace, { recursive: true, force: true });
    const own = tables.filter((table) => !table.startsWith('sqlite_'));
    expect(own.length).toBeGreaterThan(20);
    expect(own.filter((table) => !lists.some((list) => (list.tables[table] ?? 0) > 0))).toEqual([]);
  });
});

/** The states that have none within. */
function leavesOf({ root }: AnyStateMachine): string[] {
  const walk = (node: AnyStateNode): string[] => {
    const inner = Object.values(node.states);
    return inner.length === 0 ? [node.path.join('.')] : inner.flatMap(walk);
  };
  return walk(root);
}
