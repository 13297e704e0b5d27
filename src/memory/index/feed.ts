import type Sqlite from 'better-sqlite3';
import { linesOf } from '../markdown/blocks.ts';
import { chunksOf } from '../markdown/chunk.ts';
import type { LineSource } from '../markdown/provenance.ts';
import { activate, generationToFill } from './database.ts';
import { GenerationWriter, hashOf } from './generation.ts';
import { begun, Pass, type Pause } from './pass.ts';

/** A document of a fed index, which does not read its documents from a folder. */
export interface FedDocument {
  /** Its name in the index. */
  path: string;
  /** Changes whenever the text may have. */
  stat: string;
  /** The only user who may find it, besides searches for all users; null without a user. */
  owner: string | null;
  text: string;
  /** The author of each line. */
  sources: readonly LineSource['from'][];
}

/** The changes since the last feed of an index. */
export interface FedChange {
  put: readonly FedDocument[];
  /** Paths of deleted documents. */
  remove: readonly string[];
  /** Whether to erase removed text from the file, including its free pages. */
  erase?: boolean;
}

/** Applies one change to an index, atomically. */
export function feedPass(db: Sqlite.Database, change: FedChange): Pass {
  return new Pass(feed(db, change), { pending: 0, problems: [], folders: [] });
}

function* feed(db: Sqlite.Database, { put, remove, erase = false }: FedChange): Generator<Pause> {
  while (!begun(db)) yield 'busy';
  try {
    const generation = generationToFill(db, false);
    const writer = new GenerationWriter(db, generation.id);
    for (const path of remove) {
      const file = writer.file(path);
      if (file) writer.remove(file);
      yield undefined;
    }
    for (const { path, stat, owner, text, sources } of put) {
      const lines = linesOf(text);
      const file = { path, stat, owner, hash: hashOf(text), checkedAt: Date.now(), problem: null };
      yield* writer.put(
        file,
        chunksOf(lines),
        sources.map((from) => ({ from, run: null })),
      );
    }
    if (generation.state === 'building') activate(db, generation.id);
    db.exec('COMMIT');
    if (erase) writer.erase();
  } finally {
    if (db.inTransaction) db.exec('ROLLBACK');
  }
}
