import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isDriven, takeDriverLock } from '../../../src/store/sql/driver-lock.ts';
import { lastDriverPid } from '../../../src/store/sql/last-driver.ts';
import { expectCode, temporaryFile } from '../support.ts';

/** Another process that drives the database; it has the lock, and has said so in the database. */
async function otherDriver(file: string): Promise<ChildProcess> {
  const script = new URL('./children/drive.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [script, file], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  child.stdout.resume();
  return child;
}

async function killed(child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

const take = (file: string, waitMs = 0) => takeDriverLock(file, waitMs, () => lastDriverPid(file));

describe('driver lock', () => {
  it('refuses a second process at once, and names the first', async () => {
    const file = await temporaryFile();
    const { pid } = await otherDriver(file);
    const began = Date.now();
    await expect(take(file)).rejects.toMatchObject({
      code: 'DATABASE_LOCKED',
      message: expect.stringContaining(`in use by process ${pid}`),
      details: { file, pid },
      retryable: true,
    });
    expect(Date.now() - began).toBeLessThan(1_000);
    expect(isDriven(file)).toBe(true);
  });

  it('is free once its process was killed with -9', async () => {
    const file = await temporaryFile();
    await killed(await otherDriver(file));
    expect(isDriven(file)).toBe(false);
    const lock = await take(file);
    expect(isDriven(file)).toBe(true);
    lock.release();
    expect(isDriven(file)).toBe(false);
  });

  it('waits for the other process to end', async () => {
    const file = await temporaryFile();
    const child = await otherDriver(file);
    const waiting = take(file, 10_000);
    await killed(child);
    (await waiting).release();
  });

  it('is held against the same process too', async () => {
    const file = await temporaryFile();
    const lock = await take(file);
    await expect(take(file)).rejects.toMatchObject({
      code: 'DATABASE_LOCKED',
      message: expect.stringContaining('in use by another process'),
      details: { file },
    });
    expect(isDriven(file)).toBe(true);
    lock.release();
    (await take(file)).release();
  });

  it('is kept although the caller dropped what was returned', async () => {
    const file = await temporaryFile();
    await take(file);
    setFlagsFromString('--expose-gc');
    for (let i = 0; i < 3; i++) {
      runInNewContext('gc')();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(isDriven(file)).toBe(true);
  });

  it('is taken although readers keep asking for it', async () => {
    const file = await temporaryFile();
    (await take(file)).release();
    const child = await otherDriver(file);
    const asking = setInterval(() => isDriven(file), 1);
    onTestFinished(() => clearInterval(asking));
    const waiting = take(file, 10_000);
    await killed(child);
    (await waiting).release();
  });

  it('is asked for without making anything', async () => {
    const file = await temporaryFile();
    expect(isDriven(file)).toBe(false);
    expect(isDriven(join(file, 'below'))).toBe(false);
    expect(await readdir(dirname(file))).toEqual([]);
  });

  it('makes the folder that it needs', async () => {
    const file = join(dirname(await temporaryFile()), 'a', 'detent.sqlite');
    (await take(file)).release();
  });

  it('cannot be taken where no file can be', async () => {
    const file = await temporaryFile();
    await mkdir(`${file}-lock`);
    await expectCode(take(file), 'DATABASE_UNUSABLE');
    expect(() => isDriven(file)).toThrow(expect.objectContaining({ code: 'DATABASE_UNUSABLE' }));
    await writeFile(file, '');
    await expectCode(take(join(file, 'below')), 'DATABASE_UNUSABLE');
  });

  it('is not needed in memory', async () => {
    const locks = [await take(':memory:'), await take(':memory:')];
    for (const lock of locks) lock.release();
  });
});
