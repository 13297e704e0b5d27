import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { servePlace } from '../../src/cli/commands/serve/serve-place.ts';
import type { Flags } from '../../src/cli/settings/flags.ts';
import { findBubblewrap } from '../../src/tools/builtin.ts';
import { describeWith } from '../support/needs.ts';
import { newDatabase } from '../support/postgres.ts';

const root = resolve(import.meta.dirname, '../..');
const bwrap = 'bwrap';
const read = (name: string) => readFileSync(join(root, name), 'utf8');

/** The instructions of a stage; of the last one, which makes the image. */
function image(stage = -1): { name: string; text: string }[] {
  const stages = read('Dockerfile')
    .replaceAll(/\\\n\s*/g, '')
    .split(/^FROM /m);
  const lines = (stages.at(stage) ?? '').split('\n').slice(1);
  const found = lines.flatMap((line) => [...line.matchAll(/^([A-Z]+) (.*)$/g)]);
  return found.map(([, name = '', text = '']) => ({ name, text }));
}

const instruction = (wanted: string, stage?: number) =>
  image(stage).flatMap(({ name, text }) => (name === wanted ? [text] : []));
const words = (text = ''): string[] => JSON.parse(text.slice(text.indexOf('[')));

interface Service {
  image: string;
  command: string[];
  read_only: boolean;
  tmpfs: string[];
  volumes: string[];
  environment: Record<string, string>;
}

const services: Record<string, Service> = parse(read('compose.yaml'), { merge: true }).services;
const own = Object.entries(services).filter(([, service]) => service.image === 'detent');

/** The flags of `serve` in the command of a service. */
function flagsOf({ command: [name, ...given] }: Pick<Service, 'command'>): Flags {
  expect(name).toBe('serve');
  const pairs = Array.from({ length: given.length / 2 }, (_, i) => given.slice(2 * i, 2 * i + 2));
  return Object.fromEntries(
    pairs.map(([flag = '', value]) => [flag.slice(2), flag === '--allow-host' ? [value ?? ''] : value]),
  );
}

describe('compose.yaml', () => {
  it('has two gateways and three workers, on a root that is read-only and volumes that the image has', () => {
    const roles = own.map(([, service]) => servePlace(flagsOf(service)).role);
    expect(roles).toEqual(['gateway', 'gateway', 'worker', 'worker', 'worker']);
    const volumes = words(instruction('VOLUME')[0]);
    for (const [, service] of own) {
      expect(service).toMatchObject({ read_only: true, tmpfs: ['/tmp'] });
      expect(service.volumes.map((volume) => volume.split(':')[1])).toEqual(volumes);
      expect(new URL(service.environment.DATABASE_URL ?? '').hostname).toBe('database');
    }
  });
});

describe('Dockerfile', () => {
  it('does not run as root, and copies what there is', () => {
    expect(instruction('USER')).toEqual(['node']);
    expect(servePlace(flagsOf({ command: words(instruction('CMD')[0]) })).role).toBe('worker');
    const copied = instruction('COPY').flatMap((text) => text.match(/(?<=\/src\/)\S+/g) ?? []);
    const ignored = read('.dockerignore').split('\n');
    for (const name of copied.filter((path) => !['dist', 'node_modules'].includes(path))) {
      expect(existsSync(join(root, name)), name).toBe(true);
      expect(ignored).not.toContain(name);
    }
    // What a build needs beside the sources.
    for (const name of ['web', 'scripts', 'machines', 'docs', 'examples'])
      expect(ignored).not.toContain(name);
  });
});

const found = await findBubblewrap();

it('the image has pg-boss, and nothing that only development needs', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'detent-image-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of ['package.json', 'package-lock.json'])
    copyFileSync(join(root, name), join(folder, name));
  const [install = ''] = instruction('RUN', 1).filter((text) => text.includes('npm install'));
  const env = { ...process.env, npm_config_offline: 'true', npm_config_dry_run: 'true' };
  const { stdout } = await promisify(execFile)('sh', ['-c', install], { cwd: folder, env });
  expect(stdout).toContain('add pg-boss ');
  expect(stdout).toContain('add better-sqlite3 ');
  expect(stdout).not.toContain('add vitest ');
});

describeWith(
  found.works,
  'bubblewrap does not work here, which plays the container',
  true,
)('the image, played', () => {
  /** The arguments of bubblewrap for a container of the image. */
  function container(volumes: readonly string[], env: Record<string, string>): string[] {
    const program = inject('program');
    const set = { ...env, PATH: '/opt/bin:/usr/bin:/bin', NODE_ENV: 'production', HOME: '/home/node' };
    const defined = instruction('ENV').flatMap((text) => text.split(' ').map((pair) => pair.split('=')));
    const paths = words(instruction('VOLUME')[0]);
    return [
      ...['--unshare-user', '--uid', '1000', '--gid', '1000', '--die-with-parent', '--clearenv'],
      ...['--ro-bind', '/usr', '/usr', '--ro-bind', '/etc', '/etc'],
      ...['bin', 'lib', 'lib64'].flatMap((name) => ['--symlink', `usr/${name}`, `/${name}`]),
      ...['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp'],
      ...['--ro-bind', process.execPath, '/opt/bin/node'],
      ...['package.json', 'skills', 'node_modules'].flatMap((name) => [
        ...['--ro-bind', join(root, name), `/opt/detent/${name}`],
      ]),
      ...['--ro-bind', join(program, 'dist'), '/opt/detent/dist'],
      ...paths.flatMap((path, i) => ['--bind', volumes[i] ?? '', path]),
      ...['--remount-ro', '/', '--chdir', instruction('WORKDIR')[0] ?? ''],
      ...[...Object.entries(set), ...defined].flatMap(([name = '', value = '']) => ['--setenv', name, value]),
    ];
  }

  const newVolumes = () =>
    words(instruction('VOLUME')[0]).map(() => {
      const folder = mkdtempSync(join(tmpdir(), 'detent-volume-'));
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
      return folder;
    });

  async function listening(child: ChildProcess): Promise<{ url: string; pid: number }> {
    if (!child.stdout) throw new Error('it has no output');
    for await (const line of createInterface({ input: child.stdout })) return JSON.parse(line);
    throw new Error('it ended');
  }

  it.each(['gateway-1', 'worker-1'])(
    '%s is healthy with a root that it cannot write, and stops when it is told to',
    async (name) => {
      const volumes = newVolumes();
      const env = { DATABASE_URL: await newDatabase(), DETENT_TRUST: '1' };
      const args = container(volumes, env);
      const run = promisify(execFile);
      const [entry, command] = [words(instruction('ENTRYPOINT')[0]), services[name]?.command ?? []];
      const child = spawn(bwrap, [...args, ...entry, ...command, '--port', '0', '--json'], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const ended = new Promise((done) => child.once('exit', (code, signal) => done(code ?? signal)));
      onTestFinished(async () => {
        child.kill('SIGKILL');
        await ended;
      });
      const { url, pid } = await listening(child);
      const { port } = new URL(url);
      const health = words(instruction('HEALTHCHECK')[0]).map((word) => word.replace(':7420/', `:${port}/`));
      await run(bwrap, [...args, ...health]);
      await expect(run(bwrap, [...args, 'sh', '-c', 'echo > /opt/detent/new'])).rejects.toThrow(/read-only/i);
      await run(bwrap, [
        ...args,
        'sh',
        '-c',
        'test "$(id -u)" = 1000 && echo > /work/new && echo > /tmp/new',
      ]);
      // Bubblewrap itself passes no signals on, and ends as what it started.
      process.kill(pid, 'SIGTERM');
      expect(await ended).toBe(0);
    },
  );
});
