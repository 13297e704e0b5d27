import { spawnSync } from 'node:child_process';
import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createGateway } from '../../src/gateway/gateway.ts';
import { createDetent } from '../../src/index.ts';
import { describeDeep } from '../support/deep.ts';
import { describeWith } from '../support/needs.ts';
import { programFile } from '../support/program.ts';

function opened(said: unknown[] = []) {
  const workspace = mkdtempSync(join(tmpdir(), 'detent-lost-'));
  onTestFinished(() => rmSync(workspace, { recursive: true, force: true }));
  const file = join(workspace, 'data', 'detent.db');
  const open = () => {
    const detent = createDetent({
      model: 'demo/demo',
      workspace,
      database: { file },
      onError: (error) => said.push(error),
    });
    onTestFinished(() => detent.close());
    return detent;
  };
  return { workspace, file, open };
}

describe('a database that is moved away under a running process', () => {
  it('makes it not ready, is reported once, and gets its runs back where it is', async () => {
    const said: unknown[] = [];
    const { workspace, file, open } = opened(said);
    const detent = open();
    const gateway = createGateway(detent, { authenticate: async () => null });
    onTestFinished(() => gateway.close());
    const ready = async () => (await gateway.handler(new Request('http://localhost/readyz'))).status;
    const { runId } = await detent.run('hello').result;
    expect(await ready()).toBe(200);
    renameSync(join(workspace, 'data'), join(workspace, 'moved'));
    await vi.waitFor(() => expect(said).toMatchObject([{ code: 'DATABASE_LOST' }]), { timeout: 60_000 });
    expect(await ready()).toBe(503);
    await expect(detent.run('again').result).rejects.toMatchObject({
      code: 'DATABASE_LOST',
      retryable: false,
    });
    await detent.close();
    renameSync(join(workspace, 'moved'), join(workspace, 'data'));
    expect(await open().runs.show(runId)).toMatchObject({ status: 'done' });
    expect(file).toContain(workspace);
  });
});

describeDeep('a database in which another process stands still in a transaction', () => {
  it('is busy for those that open it', async () => {
    const { file, open } = opened();
    await open().run('hello').result;
    const other = new Sqlite(file);
    onTestFinished(() => void other.close());
    other.exec('BEGIN IMMEDIATE');
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    let now = Date.now();
    // Each look at the clock is a second later.
    vi.spyOn(Date, 'now').mockImplementation(() => (now += 1_000));
    await expect(open().run('again').result).rejects.toMatchObject({
      code: 'DATABASE_BUSY',
      retryable: true,
    });
  });
});

/** Whether this user may mount a file system of their own. */
const mayMount = spawnSync('sh', ['-c', 'unshare -rm true']).status === 0;

describeWith(
  mayMount,
  'this user may mount no file system',
  true,
)('a disk without room', () => {
  it('makes it not ready until there is room again', () => {
    const folder = mkdtempSync(join(tmpdir(), 'detent-full-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const child = programFile('test/runtime/children/full-disk');
    const inside = `mount -t tmpfs -o size=8m tmpfs "${folder}" && exec "${process.execPath}" "${child}" "${folder}"`;
    const { stdout, stderr } = spawnSync('sh', ['-c', 'exec unshare -rm sh -c "$0"', inside], {
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toMatchObject([
      { status: 200 },
      { status: 503, body: { code: 'DATABASE_FULL', retryable: true } },
      { status: 200 },
    ]);
  });
});
