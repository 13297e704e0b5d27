import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import type { PhoneDatabase } from '../../../examples/react-native/core/driver.ts';
import type { Complete } from '../../../examples/react-native/core/on-device.ts';

/** Node's SQLite, with the calls of the library that the examples name. */
export function phoneDatabase(file: string): PhoneDatabase {
  const db = new DatabaseSync(file);
  return {
    executeSync(sql, values = []) {
      const statement = db.prepare(sql);
      const bound = values as SQLInputValue[];
      if (statement.columns().length > 0) return { rows: statement.all(...bound), rowsAffected: 0 };
      return { rows: [], rowsAffected: Number(statement.run(...bound).changes) };
    },
    close: () => db.close(),
  };
}

/** Streams its lines, one a call, in pieces of three characters. */
export function scriptedPhone(lines: readonly string[]) {
  const prompts: string[] = [];
  const speak: Complete = async (prompt, onText) => {
    const line = lines[prompts.push(prompt) - 1] ?? '';
    for (const piece of line.match(/.{1,3}/gsu) ?? []) onText(piece);
    return line;
  };
  return { speak, prompts };
}
