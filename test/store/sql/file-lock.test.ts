import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { isLocked, takeFileLock } from '../../../src/store/sql/file-lock.ts';
import { itDeep } from '../../support/deep.ts';
import { programFile } from '../../support/program.ts';
import { raw, temporaryFile } from '../support.ts';

/** Another process that holds the lock on a file, or asks about it all the time. */
async function other(file: string, what: 'hold' | 'ask'): Promise<ChildProcess> {
  const script = programFile('test/store/sql/children/lock');
  const child = spawn(process.execPath, [script, file, what], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [word] = await once(child.stdout, 'data');
  expect(String(word)).toBe(what === 'hold' ? 'held' : 'asking');
  return child;
}

async function killed(child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

/** Takes a lock that must be free. */
function take(file: string) {
  const lock = takeFileLock(file);
  if (!lock) throw new Error('another holds it');
  return lock;
}

describe('a file lock', () => {
  it('is refused to a second process', async () => {
    const file = await temporaryFile();
    await other(file, 'hold');
    expect(takeFileLock(file)).toBeNull();
    expect(isLocked(file)).toBe(true);
  });

  it('is free once its process was killed with -9', async () => {
    const file = await temporaryFile();
    await killed(await other(file, 'hold'));
    expect(isLocked(file)).toBe(false);
    const lock = take(file);
    expect(isLocked(file)).toBe(true);
    lock.release();
    expect(isLocked(file)).toBe(false);
  });

  it('is held against the same process too, which does not lose it by asking', async () => {
    const file = await temporaryFile();
    const lock = take(file);
    for (let i = 0; i < 3; i++) {
      expect(takeFileLock(file)).toBeNull();
      expect(isLocked(file)).toBe(true);
    }
    const child = spawn(process.execPath, [programFile('test/store/sql/children/lock'), file, 'hold']);
    onTestFinished(() => void child.kill('SIGKILL'));
    const [word] = await once(child.stdout, 'data');
    expect(String(word)).toBe('refused');
    lock.release();
    take(file).release();
  });

  it('is kept although the caller dropped what was returned', async () => {
    const file = await temporaryFile();
    take(file);
    setFlagsFromString('--expose-gc');
    for (let i = 0; i < 3; i++) {
      runInNewContext('gc')();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(isLocked(file)).toBe(true);
  });

  it('is taken whenever it is free, although others keep asking about it', async () => {
    const file = await temporaryFile();
    take(file).release();
    for (let i = 0; i < 2; i++) await other(file, 'ask');
    for (let i = 0; i < 300; i++) take(file).release();
  });

  itDeep(
    'cannot be taken from a process that looks and does not get on: that is an error, not a wait for ever',
    async () => {
      const file = await temporaryFile();
      take(file).release();
      raw(file, (looking) => {
        looking.exec('BEGIN; SELECT 1 FROM sqlite_master');
        let at = 0;
        const clock = vi.spyOn(Date, 'now').mockImplementation(() => (at += 1_000));
        onTestFinished(() => clock.mockRestore());
        expect(() => takeFileLock(file)).toThrow(expect.objectContaining({ code: 'SQLITE_BUSY' }));
        expect(isLocked(file)).toBe(false);
      });
      take(file).release();
    },
  );

  it('is seen through another path of the same file', async () => {
    const file = await temporaryFile();
    const link = join(dirname(file), 'link');
    await symlink(file, link);
    const lock = take(file);
    expect(isLocked(link)).toBe(true);
    lock.release();
    expect(isLocked(link)).toBe(false);
  });

  it('is asked for without making anything', async () => {
    const file = await temporaryFile();
    expect(isLocked(file)).toBe(false);
    expect(isLocked(join(file, 'below'))).toBe(false);
    expect(await readdir(dirname(file))).toEqual([]);
    take(file).release();
    await rm(file);
    expect(isLocked(file)).toBe(false);
    expect(await readdir(dirname(file))).toEqual([]);
  });

  it('leaves no other file beside its own', async () => {
    const file = await temporaryFile();
    const lock = take(file);
    expect(await readdir(dirname(file))).toHaveLength(1);
    lock.release();
    expect(await readdir(dirname(file))).toHaveLength(1);
  });

  it('cannot be taken, or asked about, where no file can be', async () => {
    const file = await temporaryFile();
    await mkdir(file);
    expect(() => takeFileLock(file)).toThrow();
    expect(() => isLocked(file)).toThrow();
    const plain = join(dirname(file), 'plain');
    await writeFile(plain, '');
    expect(() => takeFileLock(join(plain, 'below'))).toThrow();
    expect(() => takeFileLock(join(dirname(file), 'absent', 'below'))).toThrow();
  });
});
