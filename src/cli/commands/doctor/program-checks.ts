import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../../protocol/error.ts';
import { type Check, fail, ok, type Subject, warn } from './check.ts';

const minNode = 24;

/** @param version as `process.versions.node` */
export function checkNode(version: string): Check {
  const subject: Subject = ['node', 'Node'];
  if (Number.parseInt(version, 10) >= minNode) return ok(subject, version);
  return fail(subject, `${version}, older than ${minNode}`, `install Node ${minNode} or newer`);
}

/** Whether the native part of SQLite fits this machine. */
export async function checkSqlite(platform: string, arch: string): Promise<Check> {
  const subject: Subject = ['sqlite', 'SQLite'];
  const machine = `${platform} ${arch}`;
  try {
    const { default: Sqlite } = await import('better-sqlite3');
    const db = new Sqlite(':memory:');
    const version = db.prepare('select sqlite_version()').pluck().get();
    db.close();
    return ok(subject, `${version} on ${machine}`);
  } catch (error) {
    return fail(
      subject,
      `better-sqlite3 does not load on ${machine}: ${messageOf(error)}`,
      'install again with the Node that runs it: npm rebuild better-sqlite3',
    );
  }
}

/** Writes a file to the folder and deletes it. */
export function checkTemporaryFolder(folder: string): Check {
  const subject: Subject = ['temp', 'Temporary files'];
  try {
    const own = mkdtempSync(join(folder, 'detent-doctor-'));
    try {
      writeFileSync(join(own, 'probe'), 'x');
    } finally {
      rmSync(own, { recursive: true, force: true });
    }
    return ok(subject, folder);
  } catch (error) {
    return fail(
      subject,
      `${folder} cannot be written: ${messageOf(error)}`,
      'make it writable, or set TMPDIR to a folder that is',
    );
  }
}

interface TerminalFacts {
  stdin: boolean;
  stdout: boolean;
  stderr: boolean;
  columns: number | undefined;
  /** Bits per colour; 1 means no colours. */
  colorDepth: number;
}

export function describeTerminal({ stdin, stdout, stderr, columns, colorDepth }: TerminalFacts): Check {
  const subject: Subject = ['terminal', 'Terminal'];
  const attended = stdin && stderr;
  const facts = [
    attended ? 'Detent can ask questions here' : 'no terminal: a run that needs a person parks',
    ...(stdout
      ? [columns === undefined ? 'width unknown' : `${columns} columns`]
      : ['output to a pipe or file']),
    colorDepth > 1 ? `${2 ** colorDepth} colours` : 'no colours',
  ];
  return ok(subject, facts.join(', '));
}

/**
 * @param known the variables that Detent reads
 * @param nearest finds the known name that a misspelt one most likely stands for
 */
export function checkVariables(
  env: Readonly<Record<string, string | undefined>>,
  known: readonly string[],
  nearest: (name: string) => string | null,
): Check {
  const subject: Subject = ['variables', 'Variables'];
  const set = Object.keys(env).filter((name) => name.startsWith('DETENT_') && env[name]);
  const unknown = set.filter((name) => !known.includes(name) && !name.startsWith('DETENT_TEST_'));
  if (unknown.length === 0)
    return ok(subject, set.length === 0 ? 'no DETENT_ variable is set' : set.join(', '));
  const hints = unknown.flatMap((name) => {
    const meant = nearest(name);
    return meant === null ? [] : [`${meant} instead of ${name}`];
  });
  return warn(
    subject,
    `${unknown.join(', ')}: Detent knows no variable of this name and ignores it`,
    hints.length > 0 ? `set ${hints.join(', ')}` : `unset ${unknown.join(' ')}`,
  );
}
