import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { DetentError } from '../../../src/index.ts';
import { writeResult } from '../../../src/schedule/deliver/file.ts';
import { noFileRules } from '../../../src/tools/files/file-rules.ts';
import { temporaryWorkspace } from '../../support/detent.ts';
import { asked, byHand, delivered, scheduling, slotWhere } from './support.ts';

const write = (workspace: string | null, path: string, of: Parameters<typeof asked>[0] = {}) =>
  writeResult({ tenants: async () => ({ workspace }), files: noFileRules }, path, asked(of));

const failure = async (writing: Promise<void>): Promise<[string, boolean]> => {
  try {
    await writing;
  } catch (error) {
    const { code, retryable } = error as DetentError;
    return [code, retryable];
  }
  throw new Error('it was written');
};

describe('a delivery to a file', () => {
  it('writes the text, with the folders on its way', async () => {
    const workspace = await temporaryWorkspace();
    await write(workspace, 'reports/daily/last.md');
    expect(await readFile(join(workspace, 'reports/daily/last.md'), 'utf8')).toBe('All is well.\n');
  });

  it('names the slot so that any file system takes it', async () => {
    const workspace = await temporaryWorkspace();
    await write(workspace, 'r-{{slot}}.md');
    expect(await readdir(workspace)).toEqual(['r-2026-01-31T09-00-00Z.md']);
  });

  it('leaves one file, and nothing beside it, when it is made twice', async () => {
    const workspace = await temporaryWorkspace();
    await write(workspace, 'a.md');
    await write(workspace, 'a.md', { attempt: 2 });
    expect(await readdir(workspace)).toEqual(['a.md']);
  });

  it('does not replace the result of a later slot with one that was held up', async () => {
    const workspace = await temporaryWorkspace();
    await writeFile(join(workspace, 'a.md'), 'newer');
    await write(workspace, 'a.md', { attempt: 3, isOvertaken: async () => true });
    expect(await readFile(join(workspace, 'a.md'), 'utf8')).toBe('newer');
  });

  it('is known to a host that must know what was written', async () => {
    const workspace = await temporaryWorkspace();
    const seen: boolean[] = [];
    const isWritten = () => existsSync(join(workspace, 'reports'));
    const files = {
      ...noFileRules,
      async whileWriting<T>(work: () => Promise<T>) {
        seen.push(isWritten());
        const done = await work();
        seen.push(isWritten());
        return done;
      },
    };
    await writeResult({ tenants: async () => ({ workspace }), files }, 'reports/a.md', asked());
    expect(seen).toEqual([false, true]);
  });

  it.each([
    ['../out.md', 'PATH_OUTSIDE_WORKSPACE'],
    ['/etc/out.md', 'PATH_OUTSIDE_WORKSPACE'],
    ['link/out.md', 'PATH_OUTSIDE_WORKSPACE'],
    ['nowhere', 'PATH_OUTSIDE_WORKSPACE'],
    ['.detent/detent.db', 'PATH_RESERVED'],
    ['.DETENT/x', 'PATH_RESERVED'],
    ['.git/hooks/pre-commit', 'PATH_GUARDED'],
    ['.GIT/config', 'PATH_GUARDED'],
    ['package.json', 'PATH_GUARDED'],
    ['detent.config.ts', 'PATH_GUARDED'],
    ['.mcp.json', 'PATH_GUARDED'],
    ['folder', 'IS_A_FOLDER'],
    ['file/below.md', 'NOT_A_FOLDER'],
    ['', 'PATH_INVALID'],
    ['a\0b', 'PATH_INVALID'],
    ['x'.repeat(300), 'PATH_INVALID'],
  ])('never writes %j: %s', async (path, code) => {
    const workspace = await temporaryWorkspace();
    await symlink(tmpdir(), join(workspace, 'link'));
    await symlink(join(tmpdir(), 'detent-no-such-file'), join(workspace, 'nowhere'));
    await mkdir(join(workspace, 'folder'));
    await writeFile(join(workspace, 'file'), '');
    expect(await failure(write(workspace, path))).toEqual([code, false]);
    expect(existsSync(join(tmpdir(), 'out.md'))).toBe(false);
  });

  it('is tried again when the workspace is away, and not when there is none', async () => {
    const workspace = join(await temporaryWorkspace(), 'unmounted');
    expect(await failure(write(workspace, 'a.md'))).toEqual(['WORKSPACE_MISSING', true]);
    expect(await failure(write(null, 'a.md'))).toEqual(['NO_WORKSPACE', false]);
  });

  it('that was held up leaves the file of a later slot as it is', async () => {
    const {
      workspace: folder,
      clock,
      scheduler,
    } = await scheduling([
      async () => {
        await rename(folder, `${folder}-away`);
        return { text: 'older' };
      },
      { text: 'newer' },
    ]);
    await scheduler.add({ ...byHand, jobId: 'daily', delivery: 'file:last.md' });
    await scheduler.start();
    await scheduler.run('daily');
    const held = await slotWhere(scheduler, 'daily', ({ deliveries }) => deliveries[0]?.attempts === 1);
    expect(held.deliveries).toMatchObject([{ status: 'pending', error: { code: 'WORKSPACE_MISSING' } }]);
    await rename(`${folder}-away`, folder);
    await scheduler.run('daily');
    await slotWhere(
      scheduler,
      'daily',
      ({ n, deliveries }) => n === 2 && deliveries[0]?.status === 'delivered',
    );
    await clock.advance(5_000);
    await vi.waitFor(
      async () => {
        const [, first] = await scheduler.history('daily');
        expect(first?.deliveries).toMatchObject([{ status: 'delivered', attempts: 2 }]);
      },
      { timeout: 60_000 },
    );
    expect(await readFile(join(folder, 'last.md'), 'utf8')).toBe('newer\n');
  });

  it('is of the workspace of the job', async () => {
    const { scheduler, workspace } = await scheduling([{ text: 'All is well.' }]);
    await scheduler.add({ ...byHand, jobId: 'daily', delivery: 'file:out/{{slot}}.md' });
    await scheduler.start();
    await scheduler.run('daily');
    await delivered(scheduler, 'daily');
    expect(await readFile(join(workspace, 'out/2026-01-31T09-00-00Z.md'), 'utf8')).toBe('All is well.\n');
  });

  it('is of the workspace of the tenant, and of none for a tenant without one', async () => {
    const { scheduler, detent, workspace } = await scheduling([{ text: 'A.' }]);
    const folder = await temporaryWorkspace();
    const { id: tenantId } = await detent.tenants.create({ name: 'acme', workspace: folder });
    const guests = await detent.tenants.create({ name: 'guests' });
    await scheduler.start();
    const job = { ...byHand, jobId: 'daily', delivery: 'file:a.md' };
    await scheduler.add(job, { tenantId });
    await scheduler.run('daily', { tenantId });
    await vi.waitFor(
      async () => {
        const [fire] = await scheduler.history('daily', {}, { tenantId });
        expect(fire?.deliveries).toMatchObject([{ status: 'delivered' }]);
      },
      { timeout: 60_000 },
    );
    await expect(scheduler.add(job, { tenantId: guests.id })).rejects.toMatchObject({
      code: 'INVALID_JOB',
      message: expect.stringContaining('could never arrive'),
    });
    expect(await readdir(folder)).toEqual(['a.md']);
    expect(await readdir(workspace)).not.toContain('a.md');
  });

  it.each(['../a', '/etc/a', 'a/../../b', 'C:\\a', '..\\a', '~/a', 'a/', 'a\nb'])(
    'is refused for %j when the job is made',
    async (path) => {
      const { scheduler } = await scheduling([]);
      const job = { ...byHand, jobId: 'daily', delivery: { kind: 'file', path } as const };
      await expect(scheduler.add(job)).rejects.toMatchObject({ code: 'INVALID_JOB' });
    },
  );
});
