import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const files = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => relative(root, join(entry.parentPath, entry.name)));

/** What may open files by itself: the opener, the package's own files, a file that was just made. */
const openers = [
  'src/text/files/open-to-read.ts',
  'src/text/files/private-files.ts',
  'src/text/files/replace-file.ts',
  'src/text/files/own-files.ts',
  'src/store/sql/backup.ts',
  'src/cli/drive/edit-json.ts',
];
/** Opens folders alone. */
const folderOpeners = ['src/tools/files/pinned-folder.ts'];

const opens = (source: string) =>
  [...source.matchAll(/import (?:type )?\{([^}]*)\} from 'node:fs(?:\/promises)?'/g)]
    .flatMap(([, names = '']) => names.split(','))
    .some((name) =>
      /^(?:open|openSync|readFile|readFileSync|createReadStream|copyFile\w*|cp|cpSync)$/.test(name.trim()),
    );

describe('a file of other people', () => {
  it.each(files.filter((file) => ![...openers, ...folderOpeners].includes(file)))(
    'is opened through the one opener, which passes by the database: %s',
    (file) => {
      expect(opens(readFileSync(join(root, file), 'utf8'))).toBe(false);
    },
  );

  it('would be seen when it is opened elsewhere', () => {
    for (const planted of [
      "import { readFileSync } from 'node:fs';",
      "import { lstat, open } from 'node:fs/promises';",
    ])
      expect(opens(planted)).toBe(true);
  });
});

describe('the questions of a run', () => {
  it('are read by its story alone; a copy has them as they are', () => {
    const reads = files.filter(
      (file) =>
        !file.startsWith('src/store/') &&
        readFileSync(join(root, file), 'utf8').includes("'listConfirmations'"),
    );
    expect(reads.sort()).toEqual(['src/runs/history/copy-run.ts', 'src/runs/story/read-story.ts']);
  });
});

describe('a docstring', () => {
  const isCutOff = (source: string) => /\*\/\n[ \t]*\/\*\*/.test(source);

  it('stands right before what it documents', () => {
    expect(files.filter((file) => isCutOff(readFileSync(join(root, file), 'utf8')))).toEqual([]);
    expect(isCutOff('/** A cat. */\n/** A dog. */\nconst dog = 1;')).toBe(true);
  });
});
