import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { dayLog } from '../../../src/memory/notes/day-log.ts';
import { temporaryWorkspace } from '../../support/detent.ts';

/** Noon of a local day. */
const noon = (day: number) => new Date(2026, 2, day, 12).getTime();

const of = (workspace: string) => ({ workspace, tenant: 1, user: null });

async function read(workspace: string, file = '2026-03-05.md'): Promise<string> {
  return readFile(join(workspace, 'memory', file), 'utf8');
}

describe('the day’s memory file', () => {
  it('is made with its day as title, and each entry under its key', async () => {
    const workspace = await temporaryWorkspace();
    await dayLog.append(of(workspace), noon(5), 'run_a:3', ['user: hello', 'agent: hi']);
    await dayLog.append(of(workspace), noon(5), 'run_b:1', ['user: 再见']);
    expect(await read(workspace)).toBe(
      '# 2026-03-05\n\n<!-- run_a:3 -->\n- user: hello\n- agent: hi\n\n<!-- run_b:1 -->\n- user: 再见\n',
    );
  });

  it('holds an entry once, however often it is written under its key', async () => {
    const workspace = await temporaryWorkspace();
    for (let i = 0; i < 3; i++) await dayLog.append(of(workspace), noon(5), 'run_a:3', ['user: hello']);
    expect((await read(workspace)).match(/hello/g)).toHaveLength(1);
  });

  it('takes keys apart that begin alike', async () => {
    const workspace = await temporaryWorkspace();
    await dayLog.append(of(workspace), noon(5), 'run_a:31', ['first']);
    await dayLog.append(of(workspace), noon(5), 'run_a:3', ['second']);
    expect(await read(workspace)).toContain('second');
  });

  it('is another one on another day', async () => {
    const workspace = await temporaryWorkspace();
    await dayLog.append(of(workspace), noon(5), 'k:1', ['one']);
    await dayLog.append(of(workspace), noon(6), 'k:2', ['two']);
    expect((await readdir(join(workspace, 'memory'))).sort()).toEqual(['2026-03-05.md', '2026-03-06.md']);
  });

  it('goes by local days', async () => {
    const workspace = await temporaryWorkspace();
    await dayLog.append(of(workspace), new Date(2026, 2, 5, 0, 0, 1).getTime(), 'k:1', ['early']);
    await dayLog.append(of(workspace), new Date(2026, 2, 5, 23, 59, 59).getTime(), 'k:2', ['late']);
    expect(await read(workspace)).toMatch(/early[\s\S]*late/);
  });

  it('leaves what people wrote into it, and begins on a line of its own', async () => {
    const workspace = await temporaryWorkspace();
    await mkdir(join(workspace, 'memory'));
    await writeFile(join(workspace, 'memory', '2026-03-05.md'), 'my own note');
    await dayLog.append(of(workspace), noon(5), 'k:1', ['one']);
    expect(await read(workspace)).toBe('my own note\n\n<!-- k:1 -->\n- one\n');
  });

  it('loses nothing of entries that are written together', async () => {
    const workspace = await temporaryWorkspace();
    await Promise.all(
      Array.from({ length: 30 }, (_, i) => dayLog.append(of(workspace), noon(5), `k:${i}`, [`line ${i}.`])),
    );
    const text = await read(workspace);
    for (let i = 0; i < 30; i++) expect(text).toContain(`<!-- k:${i} -->\n- line ${i}.\n`);
    expect(text.match(/^# 2026/gm)).toHaveLength(1);
  });

  it('says so when it cannot be written', async () => {
    const workspace = await temporaryWorkspace();
    await writeFile(join(workspace, 'memory'), 'a file where a folder should be');
    await expect(dayLog.append(of(workspace), noon(5), 'k:1', ['one'])).rejects.toThrow();
  });

  it('takes an entry without lines', async () => {
    const workspace = await temporaryWorkspace();
    await dayLog.append(of(workspace), noon(5), 'k:1', []);
    expect(await read(workspace)).toContain('<!-- k:1 -->');
  });
});
