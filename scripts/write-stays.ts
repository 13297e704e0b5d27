/**
 * Writes the ways of the work into `docs/architecture.md`, between `<!-- stays: NAME -->` and `<!-- /stays -->`: the functions that real
 * runs passed through.
 *
 *     node scripts/write-stays.ts
 */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Stay } from './stays/stays.ts';

if (import.meta.main) {
  const file = new URL('../docs/architecture.md', import.meta.url);
  writeFileSync(file, await withStays(readFileSync(file, 'utf8')));
}

/** The text with every way in it gone again. @throws Error when a marker names no way. */
export async function withStays(text: string): Promise<string> {
  const child = fileURLToPath(new URL('stays/ways.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [child], { timeout: 100_000 });
  const ways = JSON.parse(stdout) as Record<string, Stay[]>;
  return text.replaceAll(
    /(<!-- stays: (\S+) -->\n)[\s\S]*?(<!-- \/stays -->)/g,
    (_, open: string, name: string, close: string) => {
      const stays = ways[name];
      if (!stays) throw new Error(`there is no way "${name}"; there are ${Object.keys(ways).join(', ')}`);
      return `${open}\`\`\`text\n${listOf(stays)}\`\`\`\n${close}`;
    },
  );
}

/** How many stays there are, and then a line for each file, as often as the way comes to it. */
function listOf(stays: readonly Stay[]): string {
  const visits: { file: string; names: string[] }[] = [];
  for (const { file, name } of stays) {
    const last = visits.at(-1);
    if (last?.file === file) last.names.push(name);
    else visits.push({ file, names: [name] });
  }
  const width = Math.max(...visits.map(({ file }) => file.length));
  const lines = visits.map(({ file, names }) => `${file.padEnd(width)}  ${names.join(', ')}\n`);
  return `${stays.length} stays\n${lines.join('')}`;
}
