import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultLimits } from '../../../src/tools/sandbox/command-limits.ts';
import { launchArguments } from '../../../src/tools/sandbox/launcher.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { temporaryFolder } from '../helpers.ts';

const launch = (command: string, watched = false) =>
  launchArguments({ limits: defaultLimits, timeoutMs: 60_000, command, watched });

/** A launcher that has said that it is there. */
async function launched(command: string, watched: boolean) {
  const cwd = await temporaryFolder();
  const [file = '', ...args] = launch(command, watched);
  const child = spawn(file, args, { cwd, detached: true, stdio: ['pipe', 'ignore', 'ignore', 'pipe'] });
  const channel = child.stdio[3] as Duplex;
  const ended = once(child, 'exit');
  await once(channel, 'data');
  return { channel, ended, traceOf: (name: string) => existsSync(join(cwd, name)) };
}

describe('the way of a command to its shell', () => {
  it('is that of one argument, from first to last', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (command) => {
        expect(launch(command)).toEqual([...launch('').slice(0, -1), command]);
      }),
    );
  });

  it.each([true, false])('begins with a word of this process (watched: %s)', async (watched) => {
    const { channel, ended, traceOf } = await launched('touch begun', watched);
    channel.write('go\n');
    expect(await ended).toEqual([0, null]);
    expect(traceOf('begun')).toBe(true);
    channel.destroy();
  });

  it.each([true, false])('has no beginning when this process dies before (watched: %s)', async (watched) => {
    const { channel, ended, traceOf } = await launched('touch begun', watched);
    channel.destroy();
    expect(await ended).toEqual([125, null]);
    expect(traceOf('begun')).toBe(false);
  });
});
