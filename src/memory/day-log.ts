import { mkdir, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DayLog } from '../agent/services.ts';

/**
 * The Markdown diary of a workspace: `memory/YYYY-MM-DD.md`, in local days.
 *
 * An entry is written by one append, so that it is whole or absent, and carries its key in a comment, so that a repeat
 * after a crash finds it.
 */
export const dayLog: DayLog = {
  async append(workspace, at, key, lines) {
    const folder = join(workspace, 'memory');
    const day = localDay(at);
    const file = join(folder, `${day}.md`);
    const mark = `<!-- ${key} -->`;
    const before = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    if (before?.includes(mark)) return;
    await mkdir(folder, { recursive: true });
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
  },
};

function localDay(at: number): string {
  const date = new Date(at);
  const two = (n: number) => String(n).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
