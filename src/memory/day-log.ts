import { mkdir, open, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { DayLog } from '../agent/services.ts';

const dayMs = 24 * 60 * 60_000;

/**
 * The Markdown diary of a workspace: `memory/YYYY-MM-DD.md`, in local days.
 *
 * An entry is written by one append, so that it is whole or absent, and carries its key in a comment, so that a repeat
 * after a crash finds it.
 */
export const dayLog: DayLog = {
  append(workspace, at, key, lines) {
    const day = localDay(at);
    const folder = join(workspace, 'memory');
    const file = join(folder, `${day}.md`);
    // A repeat may come after midnight.
    const before = join(folder, `${localDay(at - dayMs)}.md`);
    return inTurn(file, async () => {
      if ((await read(before))?.includes(markOf(key))) return;
      await write(file, day, key, lines);
    });
  },
};

async function write(file: string, day: string, key: string, lines: readonly string[]): Promise<void> {
  const mark = markOf(key);
  const before = await read(file);
  if (before?.includes(mark)) return;
  await mkdir(dirname(file), { recursive: true });
  const title = before === null ? `# ${day}\n` : '';
  const gap = before === null || before.endsWith('\n') ? '' : '\n';
  const entry = `${gap}${title}\n${mark}\n${lines.map((line) => `- ${line}\n`).join('')}`;
  const handle = await open(file, 'a');
  try {
    await handle.writeFile(entry);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function markOf(key: string): string {
  return `<!-- ${key} -->`;
}

/** Null when there is no such file. */
async function read(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

const turns = new Map<string, Promise<void>>();

/** One after the other for each file: two that find it absent would both write its title. */
function inTurn(file: string, work: () => Promise<void>): Promise<void> {
  const mine = (turns.get(file) ?? Promise.resolve()).then(work, work);
  const leave = () => void (turns.get(file) === mine && turns.delete(file));
  turns.set(file, mine);
  mine.then(leave, leave);
  return mine;
}

function localDay(at: number): string {
  const date = new Date(at);
  const two = (n: number) => String(n).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
