import { join } from 'node:path';
import Sqlite from 'better-sqlite3';

/** One table, one row a commit: the least that a durable loop can write. */
interface FloorLog {
  /** Number of the next run. */
  begin(): number;
  commit(run: number, message: unknown): void;
  close(): void;
}

export function openLog(synchronous: 'none' | 'NORMAL' | 'FULL', folder: string): FloorLog {
  let runs = 0;
  const begin = () => ++runs;
  if (synchronous === 'none') return { begin, commit() {}, close() {} };
  const db = new Sqlite(join(folder, 'floor.db'));
  db.pragma('journal_mode = WAL');
  db.pragma(`synchronous = ${synchronous}`);
  db.exec('create table messages (id integer primary key, run integer, body text)');
  const insert = db.prepare('insert into messages (run, body) values (?, ?)');
  return {
    begin,
    commit: (run, message) => void insert.run(run, JSON.stringify(message)),
    close: () => db.close(),
  };
}
