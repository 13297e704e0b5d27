import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const files = readdirSync(join(root, 'src/cli'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => relative(root, join(entry.parentPath, entry.name)));

/** Where the streams of the process come in, and where text leaves for them. */
const holders = [
  'src/cli/main.ts',
  'src/cli/process.ts',
  'src/cli/terminal/io.ts',
  'src/cli/terminal/terminal.ts',
];
/** Where sequences are made, and where those that a terminal sends are read. */
const makers = ['src/cli/terminal/styled.ts', 'src/cli/commands/chat/paste-filter.ts'];

const reaches = (source: string) =>
  /\bprocess\.(?:stdout|stderr)\b|(?<![./#\w-])console\.\w|\bwriteSync\([12],|\bWriteStream\b/.test(source);
const spells = (source: string) =>
  /\\u001b|\\x1b|\\e\[|\\u009b|\\x9b|\bstyleText\b/i.test(source) || source.includes('\u001b');

describe('the streams of the command line', () => {
  it.each(files.filter((file) => !holders.includes(file)))('are out of the reach of %s', (file) => {
    expect(reaches(readFileSync(join(root, file), 'utf8'))).toBe(false);
  });

  it.each(files.filter((file) => !makers.includes(file)))('get no sequence from %s', (file) => {
    expect(spells(readFileSync(join(root, file), 'utf8'))).toBe(false);
  });

  it('would be seen in a file that reaches them', () => {
    for (const planted of ['process.stdout.write(x)', 'console.error(x)', 'writeSync(1, x)'])
      expect(reaches(planted)).toBe(true);
    for (const planted of ["'\\u001b[2J'", "'\\x1B[0m'", "styleText('red', x)"])
      expect(spells(planted)).toBe(true);
  });
});
