import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { hermesCompiler } from '../../scripts/build/core.ts';
import type { SqlDriver } from '../../src/store/driver.ts';

/** Of the library of JavaScript, what engines of apps have not had for long. */
const notInApps = `
  delete Map.groupBy;
  delete Promise.withResolvers;
  delete Array.fromAsync;
  for (const name of ['toSorted', 'toReversed']) delete Array.prototype[name];
  for (const name of ['isWellFormed', 'toWellFormed']) delete String.prototype[name];
  for (const name of ['map', 'filter', 'take', 'toArray', 'some', 'find']) delete Iterator.prototype[name];`;

/** The bundle in a context that has timers, and nothing else of a host. */
export function inBareContext<Exports>(code: string, also: object = {}): Exports {
  const { setTimeout, clearTimeout } = globalThis;
  const context = createContext({ setTimeout, clearTimeout, ...also });
  runInContext(notInApps, context);
  runInContext(code, context);
  return context.detent;
}

export const random = (bytes: Uint8Array) => void crypto.getRandomValues(bytes);

/** An app that is killed at its n-th commit: before it is written, or after it. From then on nothing of it happens. */
export function dying(db: SqlDriver, kill: { at: number; isWritten: boolean }) {
  const died = Promise.withResolvers<void>();
  const app = { commits: 0, isDead: false, died: died.promise };
  const alive = <T>(work: () => T): T => {
    if (app.isDead) throw new Error('killed');
    return work();
  };
  const commit = (write: () => { changes: number | bigint }) => {
    if (app.commits++ !== kill.at) return write();
    if (kill.isWritten) write();
    app.isDead = true;
    died.resolve();
    throw new Error('killed');
  };
  const storage: SqlDriver = {
    prepare(sql) {
      const { run, get, all } = alive(() => db.prepare(sql));
      return {
        run: (values) => alive(() => (sql === 'COMMIT' ? commit(() => run(values)) : run(values))),
        get: (values) => alive(() => get(values)),
        all: (values) => alive(() => all(values)),
      };
    },
    exec: (sql) => alive(() => db.exec(sql)),
    close: () => db.close(),
  };
  return { app, storage };
}

/** The size of a program as compressed bytecode of Hermes. */
export function hermesBytes(code: string): number {
  const folder = mkdtempSync(join(tmpdir(), 'detent-hermes-'));
  const [source, made] = [join(folder, 'core.js'), join(folder, 'core.hbc')];
  writeFileSync(source, code);
  execFileSync(hermesCompiler(), ['-O', '-output-source-map', '-w', '-emit-binary', '-out', made, source]);
  const bytes = gzipSync(readFileSync(made), { level: 9 }).length;
  rmSync(folder, { recursive: true });
  return bytes;
}
