import { join } from 'node:path';
import type Sqlite from 'better-sqlite3';
import { readWholeSync } from '../../text/files.ts';
import { linesOf } from '../markdown/blocks.ts';
import { chunksOf } from '../markdown/chunk.ts';
import { sourcesOf } from '../markdown/provenance.ts';
import {
  activate,
  activeGeneration,
  dropAbandoned,
  type GenerationToFill,
  generationToFill,
  hasAbandoned,
  identity,
  noteProgress,
} from './database.ts';
import { type FoundFile, type Tree, walk } from './files.ts';
import { GenerationWriter, hashOf, type KnownFile } from './generation.ts';
import { begun, Pass, type PassState, type Pause } from './pass.ts';

/** A file may change within this time without a change of its stat, so its content is compared once more. */
const racyMs = 2_000;
/** A transaction with this many chunks is committed at the next file: searches see it, and a crash loses little. */
const transactionChunks = 400;
/** More changed files than these are a checkout, not what somebody has just written: these are indexed first, and committed. */
const newestFiles = 20;

/** The work of a pass. */
interface Work {
  root: string;
  state: PassState;
  generation: GenerationToFill;
  changed: FoundFile[];
  gone: KnownFile[];
}

interface Syncing {
  root: string;
  tree: Tree;
  /** Builds a new generation beside the active one, or continues a half-built one. */
  isAnew?: boolean;
  /** Called when the files that changed last are committed, while others may be pending. */
  onNewest?: () => void;
}

/**
 * Updates an index from its files. If the process dies, committed work stays, and the next pass continues from there.
 */
export function syncPass(db: Sqlite.Database, asked: Syncing): Pass {
  const state: PassState = { pending: null, problems: [], folders: [] };
  return new Pass(sync(db, asked, state), state);
}

function* sync(
  db: Sqlite.Database,
  { root, tree, isAnew = false, onNewest }: Syncing,
  state: PassState,
): Generator<Pause> {
  const generation = yield* generationOf(db, isAnew);
  const writer = new GenerationWriter(db, generation.id);
  const known = new Map(writer.files().map((file) => [file.path, file]));
  const changed: FoundFile[] = [];
  let met = 0;
  for (const found of walk(root, tree)) {
    if ('folder' in found) state.folders.push(found.folder);
    else if ('problem' in found) state.problems.push(found);
    else {
      const before = known.get(found.path);
      known.delete(found.path);
      if (generation.isTakenUp || !isCurrent(before, found)) changed.push(found);
      else if (before?.problem) state.problems.push({ path: found.path, problem: before.problem });
    }
    if (++met % 50 === 0) yield undefined;
  }
  state.pending = changed.length + known.size;
  yield undefined;
  const gone = [...known.values()];
  // `pop` takes them from the end.
  changed.sort((a, b) => a.changedAt - b.changedAt);
  const newest = changed.splice(-newestFiles);
  const indexed = { root, state, generation };
  while (newest.length > 0) yield* transaction(db, writer, { ...indexed, changed: newest, gone: [] });
  onNewest?.();
  while (changed.length + gone.length > 0) yield* transaction(db, writer, { ...indexed, changed, gone });
  if (generation.state === 'building') {
    while (!begun(db)) yield 'busy';
    inTransaction(db, () => activate(db, generation.id));
  }
  // If another process writes, a later pass does it.
  else if (hasAbandoned(db) && begun(db)) inTransaction(db, () => dropAbandoned(db));
}

function* generationOf(db: Sqlite.Database, isAnew: boolean): Generator<Pause, GenerationToFill> {
  if (!isAnew && activeGeneration(db)?.identity === identity) return generationToFill(db, false);
  while (!begun(db)) yield 'busy';
  return inTransaction(db, () => generationToFill(db, isAnew));
}

function* transaction(
  db: Sqlite.Database,
  writer: GenerationWriter,
  { root, state, generation, changed, gone }: Work,
): Generator<Pause> {
  while (!begun(db)) yield 'busy';
  let work = 0;
  try {
    while (work < transactionChunks) {
      const lost = gone.pop();
      const file = lost ? null : changed.pop();
      if (!lost && !file) break;
      // Another process may have done it meanwhile.
      const before = writer.file(lost?.path ?? file?.path ?? '');
      if (lost && before) writer.remove(before);
      if (file)
        for (const _ of indexFile(writer, { root, state }, file, before)) {
          work++;
          yield undefined;
        }
      work++;
      state.pending = (state.pending ?? 0) - 1;
      yield undefined;
    }
    noteProgress(db, generation.id);
    db.exec('COMMIT');
  } finally {
    if (db.inTransaction) {
      db.exec('ROLLBACK');
      writer.forgetSeen();
    }
  }
  // No caller waits for a rebuild, so give other processes a chance to write.
  if (generation.state === 'building') yield 'busy';
}

function* indexFile(
  writer: GenerationWriter,
  { root, state }: Pick<Work, 'root' | 'state'>,
  { path, stat }: FoundFile,
  before: KnownFile | undefined,
): Generator<Pause> {
  const checkedAt = Date.now();
  let bytes: Buffer;
  try {
    bytes = readWholeSync(join(root, path));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Deleted since the walk; the next walk notices.
    if (code !== 'ENOENT') state.problems.push({ path, problem: `cannot be read (${code})` });
    return;
  }
  const hash = hashOf(bytes);
  const problem = bytes.includes(0) ? 'is not text (it has NUL bytes)' : null;
  if (problem !== null) state.problems.push({ path, problem });
  if (before?.hash === hash) return writer.touch(before, stat, checkedAt);
  const text = problem !== null ? '' : bytes.toString('utf8').replace(/^\uFEFF/, '');
  const lines = linesOf(text);
  yield* writer.put({ path, stat, hash, checkedAt, problem }, chunksOf(lines), sourcesOf(lines));
}

/** Ends a transaction that was begun. */
function inTransaction<Result>(db: Sqlite.Database, work: () => Result): Result {
  try {
    const result = work();
    db.exec('COMMIT');
    return result;
  } finally {
    if (db.inTransaction) db.exec('ROLLBACK');
  }
}

function isCurrent(before: KnownFile | undefined, { stat, changedAt }: FoundFile): boolean {
  return before?.stat === stat && before.checkedAt - changedAt > racyMs;
}
