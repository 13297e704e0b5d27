import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** The folder of the repository. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** A fenced block. */
export interface Block {
  /** `README.md:12`: where it begins. */
  place: string;
  language: string;
  text: string;
}

/** The documents that users read, by path from the root. */
export const documents: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...markdownIn('docs'),
  ...markdownIn('docs/learn'),
];

function markdownIn(folder: string): string[] {
  const names = readdirSync(join(root, folder)).filter((name) => name.endsWith('.md'));
  return names.map((name) => `${folder}/${name}`);
}

export function read(document: string): string {
  return readFileSync(join(root, document), 'utf8');
}

/** The blocks of a document in one language. */
export function blocksOf(document: string, language: string): Block[] {
  const text = read(document);
  return [...text.matchAll(/^```(\S*)\n([\s\S]*?)^```$/gm)].flatMap(([, found = '', body = ''], i, all) => {
    if (found !== language) return [];
    const line = text.slice(0, all[i]?.index).split('\n').length;
    return [{ place: `${document}:${line}`, language: found, text: body }];
  });
}

/** The cells of every table row whose first cell is code: `` | `name` | … | ``, without the marks. */
export function rowsOf(markdown: string): string[][] {
  return [...markdown.matchAll(/^\| (`.*) \|$/gm)].map(([, row = '']) =>
    row.split(/ \|(?= )/).map((cell) => cell.replaceAll('`', '').trim()),
  );
}

/** Links of a document that lead nowhere: to a file that does not exist, or to a heading that it does not have. */
export function deadLinks(document: string): string[] {
  return localLinksOf(document).filter((link) => {
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? document : join(dirname(document), path);
    if (!existsSync(join(root, target))) return true;
    return anchor !== undefined && !headingsOf(target).includes(anchor);
  });
}

/** Links of a document to files that the npm package does not have. */
export function linksOutOf(document: string, packed: ReadonlySet<string>): string[] {
  return localLinksOf(document).filter((link) => {
    const [path = ''] = link.split('#');
    const target = join(dirname(document), path);
    return path !== '' && ![...packed].some((file) => file === target || file.startsWith(`${target}/`));
  });
}

/** What `npm pack` would put into the package now, by path from the root; `dist` only where it was built. */
export async function packedFiles(): Promise<ReadonlySet<string>> {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const { stdout } = await promisify(execFile)('npm', args, { cwd: root, maxBuffer: 64 * 1024 * 1024 });
  const [packed] = JSON.parse(stdout) as { files: { path: string }[] }[];
  return new Set(packed?.files.map(({ path }) => path));
}

function localLinksOf(document: string): string[] {
  const links = [...read(document).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  return links.filter((link) => !/^https?:/.test(link));
}

/** As GitHub makes anchors of them. */
function headingsOf(document: string): string[] {
  return [...read(document).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
