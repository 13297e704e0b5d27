import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isOfOpenDatabaseAt } from '../../../src/text/files/open-databases.ts';
import { whileLocked, whileLockedSync } from '../../../src/text/files/while-locked.ts';
import { temporaryFile } from '../../store/support.ts';

const busy = () => new Error('busy');

async function fileWith(text: string): Promise<string> {
  const file = await temporaryFile();
  writeFileSync(file, text);
  return file;
}

function other(file: string, times: string) {
  const script = new URL('./children/count.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [script, file, times], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

describe('a lock that processes share', () => {
  it('loses no change of several processes, and none of several parts of one', async () => {
    const file = await fileWith('0');
    const others = [other(file, '60'), other(file, '60')].map((child) => once(child, 'exit'));
    const count = async () => {
      const before = Number(readFileSync(file, 'utf8'));
      await new Promise(setImmediate);
      writeFileSync(file, String(before + 1));
    };
    await Promise.all(Array.from({ length: 40 }, () => whileLocked(`${file}.lock`, busy, count)));
    expect(await Promise.all(others)).toEqual([
      [0, null],
      [0, null],
    ]);
    expect(readFileSync(file, 'utf8')).toBe('160');
  });

  it('is free once its process was killed with -9', async () => {
    const file = await fileWith('0');
    const child = other(file, 'hold');
    await once(child.stdout, 'data');
    const got = whileLocked(`${file}.lock`, busy, async () => 'got it');
    child.kill('SIGKILL');
    expect(await got).toBe('got it');
    expect(whileLockedSync(`${file}.lock`, busy, () => 'again')).toBe('again');
  });

  it('is given up when the work fails', async () => {
    const file = await fileWith('0');
    const failing = whileLocked(`${file}.lock`, busy, () => Promise.reject(new Error('no')));
    await expect(failing).rejects.toThrow('no');
    expect(() =>
      whileLockedSync(`${file}.lock`, busy, () => {
        throw new Error('nor so');
      }),
    ).toThrow('nor so');
    expect(await whileLocked(`${file}.lock`, busy, async () => 1)).toBe(1);
  });

  it('is a file that no tool of this process opens while it holds it', async () => {
    const file = await fileWith('0');
    expect(isOfOpenDatabaseAt(`${file}.lock`)).toBe(false);
    await whileLocked(`${file}.lock`, busy, async () => {
      expect(isOfOpenDatabaseAt(`${file}.lock`)).toBe(true);
    });
    expect(isOfOpenDatabaseAt(`${file}.lock`)).toBe(false);
  });
});
