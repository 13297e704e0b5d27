import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DetentError } from '../../src/index.ts';
import { openReporting } from '../../src/telemetry/reporting.ts';
import { fakeClock } from '../../src/testing/index.ts';
import { bareWorkspace } from '../support/cli.ts';
import { scripted, temporaryWorkspace } from '../support/detent.ts';
import { programFile } from '../support/program.ts';

const parsed = (text: string) =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('a log in a file', () => {
  it('is one JSON object a line, whole when the program has closed, and goes on in the next life', async () => {
    const workspace = await temporaryWorkspace();
    const log = { level: 'debug', file: 'logs/detent.log' } as const;
    for (const life of [1, 2]) {
      const { detent } = await scripted([{ text: 'done' }], { workspace, log });
      await detent.run('go').result;
      await detent.close();
      const lines = parsed(await readFile(join(workspace, log.file), 'utf8'));
      expect(lines.map(({ level, msg }) => `${level} ${msg}`)).toEqual(
        Array.from({ length: life }, () => [
          'debug transition',
          'info run started',
          'debug transition',
          'info run ended',
        ]).flat(),
      );
      expect(lines[0]).toMatchObject({
        pid: process.pid,
        tenant: 1,
        seq: 1,
        time: expect.stringMatching(/Z$/),
      });
    }
  });

  it('is not made when nothing is to be logged', async () => {
    const workspace = await temporaryWorkspace();
    for (const log of [undefined, { file: 'x.log' }, { level: 'silent', file: 'x.log' }] as const) {
      const { detent } = await scripted([{ text: 'done' }], { workspace, ...(log && { log }) });
      await detent.run('go').result;
      await detent.close();
    }
    expect(existsSync(join(workspace, 'x.log'))).toBe(false);
  });

  it.each([
    ['a full disk', '/dev/full'],
    ['a folder in its place', '.'],
  ])('on %s disturbs no run, and is told once', async (_, file) => {
    const told: unknown[] = [];
    const { detent } = await scripted([{ text: 'one' }, { text: 'two' }], {
      log: { level: 'debug', file },
      onError: (error) => void told.push(error),
    });
    for (const prompt of ['a', 'b']) expect((await detent.run(prompt).result).outcome).toBe('completed');
    await detent.close();
    expect(told).toEqual([expect.objectContaining({ code: 'LOG_FAILED' })]);
  });

  it('goes on a minute after it could not be written, and says how many lines it lost', async () => {
    const workspace = await temporaryWorkspace();
    const [file, clock] = [join(workspace, 'x.log'), fakeClock()];
    await mkdir(file);
    const broken = Promise.withResolvers<unknown>();
    const log = { level: 'info', file } as const;
    const { detent } = await scripted([{ text: 'one' }, { text: 'two' }, { text: 'three' }], {
      ...{ workspace, log, clock },
      onError: broken.resolve,
    });
    await detent.run('a').result;
    expect(await broken.promise).toMatchObject({ code: 'LOG_FAILED' });
    await detent.run('b').result;
    await rmdir(file);
    await clock.advance(60_000);
    await detent.run('c').result;
    await detent.close();
    const lines = parsed(await readFile(file, 'utf8'));
    expect(lines.map(({ level, msg }) => `${level} ${msg}`)).toEqual([
      'warn log lines lost',
      'info run started',
      'info run ended',
    ]);
    expect(lines[0]?.lost).toBeGreaterThanOrEqual(2);
  });
});

describe('a failure of the database', () => {
  it('that comes with each look is reported once a minute, and any other each time', async () => {
    const told: unknown[] = [];
    const { report } = await openReporting({
      ...{ config: {}, logger: undefined, workspace: await temporaryWorkspace(), now: Date.now },
      redact: (text) => text,
      onError: (error) => void told.push(error),
    });
    const full = () => new DetentError('DATABASE_FULL', 'free some space', { retryable: true });
    const other = new DetentError('CANNOT_DRIVE', 'it lacks a tool');
    for (const error of [full(), full(), other, other]) report(error, '');
    report(full(), 'run_a');
    expect(told).toHaveLength(4);
  });
});

describe('the log of the command line', () => {
  it('goes to stderr at the level that the variable says, and stdout has the answer alone', async () => {
    const workspace = await bareWorkspace();
    const { stdout, stderr, code } = await workspace.detent(['run', '--quiet', 'what is 6 * 7?'], {
      env: { DETENT_LOG_LEVEL: 'info' },
      // The log writes to the file descriptor of its process.
      ownProcess: true,
    });
    expect(code).toBe(0);
    expect(stdout).toContain('42');
    expect(stdout).not.toContain('run started');
    expect(parsed(stderr).map(({ msg }) => msg)).toEqual(['run started', 'run ended']);
  });

  it('in a file that cannot be opened disturbs no run', async () => {
    const workspace = await bareWorkspace();
    const { stdout, stderr, code } = await workspace.detent(['run', '--quiet', 'what is 6 * 7?'], {
      env: { DETENT_LOG_LEVEL: 'info', DETENT_LOG_FILE: '.' },
      // pino has a listener for the exit of the process.
      ownProcess: true,
    });
    expect([code, stdout]).toEqual([0, expect.stringContaining('42')]);
    expect(stderr.trim().split('\n')).toEqual([expect.stringContaining('the log cannot be written to')]);
  });

  it.each(['.detent/detent.db', '.detent/detent.db-wal'])('does not write into %s', async (file) => {
    const workspace = await bareWorkspace();
    const env = { DETENT_LOG_LEVEL: 'info', DETENT_LOG_FILE: file };
    const { stderr, code } = await workspace.detent(['run', 'hi'], { env });
    expect([code, stderr]).toEqual([3, expect.stringContaining('name another file')]);
  });

  it('on a stderr that is closed disturbs no run', async () => {
    const workspace = await bareWorkspace();
    const child = spawn(process.execPath, [programFile('src/cli/main'), 'run', '--quiet', 'what is 6 * 7?'], {
      cwd: workspace.folder,
      env: { ...process.env, DETENT_TRUST: '1', DETENT_LOG_LEVEL: 'debug' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stderr.destroy();
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    const [code] = await new Promise<[number | null]>((done) =>
      child.on('close', (status) => done([status])),
    );
    expect([code, stdout]).toEqual([0, expect.stringContaining('42')]);
  });

  it('has no level that does not exist', async () => {
    const workspace = await bareWorkspace();
    const { stderr, code } = await workspace.detent(['run', 'hi'], { env: { DETENT_LOG_LEVEL: 'loud' } });
    expect(code).not.toBe(0);
    expect(stderr).toContain('DETENT_LOG_LEVEL');
  });
});
