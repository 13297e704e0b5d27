import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findBubblewrap, findSandbox } from '../../../src/tools/sandbox/find-sandbox.ts';
import { hasWorked, rememberTrial } from '../../../src/tools/sandbox/known-trial.ts';
import { temporaryFolder } from '../helpers.ts';
import { describeSandboxed } from './support.ts';

/** A program of this name that does this. */
async function pretending(script: string): Promise<string> {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'bwrap'), `#!/bin/sh\n${script}\n`);
  await chmod(join(folder, 'bwrap'), 0o755);
  return folder;
}

describe('looking for a sandbox', () => {
  it('says what is wrong with one that does not work, and what to do', async () => {
    const folder = await pretending(
      'echo "bwrap: Creating new namespace failed: Operation not permitted" >&2; exit 1',
    );
    expect(await findBubblewrap(folder)).toEqual({
      works: false,
      program: join(folder, 'bwrap'),
      reason: `${join(folder, 'bwrap')} does not work: bwrap: Creating new namespace failed: Operation not permitted`,
      remedy: expect.stringContaining('0.8'),
    });
  });

  it('does not take a program for a sandbox that runs the trial and confines nothing', async () => {
    const folder = await pretending('exit 0');
    expect(await findBubblewrap(folder)).toMatchObject({ works: false });
  });

  it('tries one once for all who ask at a time', async () => {
    const folder = await pretending(`echo x >> "$(dirname "$0")/tries"; exit 1`);
    const [first, second] = await Promise.all([findBubblewrap(folder), findBubblewrap(folder)]);
    expect(second).toBe(first);
  });

  it('finds one that was mended after it did not work', async () => {
    const folder = await pretending('echo "Operation not permitted" >&2; exit 1');
    expect(await findBubblewrap(folder)).toMatchObject({
      works: false,
      reason: expect.stringMatching('not permitted'),
    });
    await writeFile(join(folder, 'bwrap'), '#!/bin/sh\necho "and now" >&2; exit 1\n');
    expect(await findBubblewrap(folder)).toMatchObject({
      works: false,
      reason: expect.stringMatching('and now'),
    });
  });

  it('says where there is none', async () => {
    expect(await findBubblewrap('', 'darwin')).toMatchObject({
      works: false,
      program: null,
      remedy: expect.stringContaining('none'),
    });
  });

  it('goes without one only where that is named', async () => {
    expect((await findSandbox('none')).kind).toBe('none');
    expect((await findSandbox('auto')).kind).not.toBe('none');
    expect((await findSandbox('bubblewrap')).kind).not.toBe('none');
    expect((await findSandbox()).kind).not.toBe('none');
  });
});

describeSandboxed('the sandbox of this machine', () => {
  it('is found', async () => {
    expect(await findBubblewrap()).toEqual({ works: true, program: expect.stringMatching(/^\/.*bwrap$/) });
    expect((await findSandbox()).kind).toBe('bubblewrap');
  });

  it('is not tried again while the machine and the trial are the same', async () => {
    const home = await temporaryFolder();
    await findSandbox('auto', home);
    const file = join(home, 'cache/sandbox-trial.json');
    const [trial] = JSON.parse(await readFile(file, 'utf8')) as [string[]];
    expect(hasWorked(home, trial)).toBe(true);
    expect(hasWorked(home, [...trial, 'more'])).toBe(false);
    expect(((await stat(file)).mode & 0o777).toString(8)).toBe('600');
    // Another boot of the machine.
    await writeFile(file, (await readFile(file, 'utf8')).replace(/[0-9a-f]{8}-[0-9a-f]{4}/, '00000000-0000'));
    expect(hasWorked(home, trial)).toBe(false);
    expect(trial[0]).toMatch(/bwrap$/);
    expect((await findSandbox('auto', home)).kind).toBe('bubblewrap');
    expect(hasWorked(home, trial)).toBe(true);
  });
});

describe('what is remembered of a trial', () => {
  it('is nothing where there is no DETENT_HOME, and for another program of the same name', async () => {
    const folder = await pretending('exit 0');
    const trial = [join(folder, 'bwrap'), ':'];
    rememberTrial(join(folder, 'none'), trial);
    expect(hasWorked(join(folder, 'none'), trial)).toBe(false);
    rememberTrial(folder, trial);
    expect(hasWorked(folder, trial)).toBe(true);
    await writeFile(join(folder, 'bwrap'), '#!/bin/sh\nexit 0 \n');
    expect(hasWorked(folder, trial)).toBe(false);
  });
});
