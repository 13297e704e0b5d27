// As many commits as Detent's workflow makes, of a row each, and nothing else.
import { DatabaseSync } from 'node:sqlite';

export function open({ file, mode }) {
  const db = new DatabaseSync(file);
  db.exec(`pragma journal_mode = wal; pragma synchronous = ${mode}`);
  db.exec('create table log (id integer primary key, body text) strict');
  const insert = db.prepare('insert into log (body) values (?)');
  const body = JSON.stringify({ type: 'service.done', text: 'x'.repeat(400) });
  return {
    counts: false,
    run(length, commits = 0) {
      for (let i = 0; i < commits; i++) insert.run(body);
      return length;
    },
    close: () => db.close(),
  };
}
