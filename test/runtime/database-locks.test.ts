import { spawn } from 'node:child_process';
import {
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryWorkspace } from '../support/detent.ts';
import { describeWith } from '../support/needs.ts';

/** The database, and the lock of the process that drives it. */
const filesOf = (workspace: string) => [
  'data.db',
  'data.db-shm',
  ...readdirSync(join(workspace, 'drivers'))
    .filter((name) => name.endsWith('.lock'))
    .map((name) => join('drivers', name)),
];

/** The files that the system has locked for a process, of those of the database. */
function locked(workspace: string, pid: number | undefined): string[] {
  const inodes = readFileSync('/proc/locks', 'utf8')
    .split('\n')
    .map((line) => /POSIX .* (\d+) \w+:\w+:(\d+) /.exec(line))
    .flatMap((found) => (found?.[1] === String(pid) ? [found[2]] : []));
  return filesOf(workspace).filter((name) => inodes.includes(String(statSync(join(workspace, name)).ino)));
}

/** A workspace with the database in it, and another process that holds it. */
async function heldDatabase() {
  const workspace = await temporaryWorkspace();
  const child = spawn(
    process.execPath,
    [new URL('./database-locks-child.ts', import.meta.url).pathname, workspace],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, DETENT_HOME: join(workspace, 'home') },
    },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => String((await lines.next()).value);
  const attempts = (await next()).replace(/^ready /, '').split('|');
  return {
    workspace,
    attempts,
    locked: () => locked(workspace, child.pid),
    async does(what: string): Promise<string> {
      child.stdin.write(`${what}\n`);
      return next();
    },
  };
}

/** Other names of the database's files, wherever Detent reads files. */
function addLinks(workspace: string): void {
  const path = (name: string) => join(workspace, name);
  for (const folder of ['links', 'memory', 'skills/soft', 'skills/hard'])
    mkdirSync(path(folder), { recursive: true });
  for (const name of ['links/copy.txt', 'links/written.txt', 'skills/hard/SKILL.md', 'skills/hard/copy.txt'])
    linkSync(path('data.db'), path(name));
  for (const name of ['memory/copy.md', 'memory/MEMORY.md', 'MEMORY.md', '.gitignore', '.mcp.json'])
    linkSync(path('data.db'), path(name));
  linkSync(path('data.db-shm'), path('links/shm.txt'));
  linkSync(path(filesOf(workspace)[2] ?? ''), path('links/lock.txt'));
  symlinkSync(path('data.db'), path('links/link.txt'));
  symlinkSync('../../data.db-shm', path('skills/soft/SKILL.md'));
  writeFileSync(path('notes.txt'), 'SQLite');
}

describeWith(process.platform === 'linux', 'the locks of a process are listed by Linux')(
  'a process that holds a database',
  () => {
    it('keeps its locks, whatever it reads in the folder of the database', async () => {
      const held = await heldDatabase();
      const before = held.locked();
      expect(before).toEqual(filesOf(held.workspace));
      expect(before).toHaveLength(3);
      addLinks(held.workspace);
      const lost: Record<string, unknown> = {};
      for (const what of held.attempts) {
        const outcome = await held.does(what);
        expect(outcome).toMatch(/^done /);
        const after = held.locked();
        if (process.env.SHOW) console.log(what, '=>', outcome, after);
        if (after.length < before.length) {
          lost[what] = after;
          break;
        }
      }
      expect(lost).toEqual({});
    });
  },
);
