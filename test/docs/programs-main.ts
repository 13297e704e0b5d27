/**
 * Runs programs one after the other in this process, because most of a short program's time is the start of its process.
 * Each has an empty folder of its own as the current one. The process ends when none of them has left anything open.
 */
import { appendFileSync } from 'node:fs';
import { chdir } from 'node:process';
import { pathToFileURL } from 'node:url';

export interface Programs {
  programs: readonly { file: string; folder: string }[];
  /** Gets a line of JSON for each program that came to its end. */
  endings: string;
}

export interface Ending {
  file: string;
  /** What it threw. */
  error: string | null;
}

const { programs, endings } = JSON.parse(process.argv[2] ?? '') as Programs;

for (const { file, folder } of programs) {
  chdir(folder);
  const error = await import(pathToFileURL(file).href).then(
    () => null,
    (thrown: unknown) => String((thrown instanceof Error && thrown.stack) || thrown),
  );
  const ending: Ending = { file, error };
  appendFileSync(endings, `${JSON.stringify(ending)}\n`);
}
