import { hash as digestOf } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { isSource, ownFile, readWholeSync } from '../../text/files.ts';

/** A file of the page. */
export interface PageFile {
  /** Its media type. */
  type: string;
  bytes: Uint8Array<ArrayBuffer>;
  /** Its bytes by content encoding, best first. */
  encoded: ReadonlyMap<string, Uint8Array<ArrayBuffer>>;
  /** Of its bytes. */
  hash: string;
}

/** Files that stand beside another one and have its content compressed, by content encoding. */
const encodings: Readonly<Record<string, string>> = { br: '.br', gzip: '.gz' };

const types: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  ico: 'image/x-icon',
  jpg: 'image/jpeg',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json',
  png: 'image/png',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
  webmanifest: 'application/manifest+json',
  webp: 'image/webp',
  woff2: 'font/woff2',
};

/** The folder of the page that comes with Detent; in a clone, the page must be built first. */
export function ownPageFolder(): string {
  return fileURLToPath(ownFile(isSource ? 'web/dist/' : 'dist/web/'));
}

/** Whether the page that comes with Detent is there. */
export function isPageBuilt(): boolean {
  return existsSync(join(ownPageFolder(), 'index.html'));
}

interface PageValues {
  prefix: string;
  program: string;
}

/**
 * All files of a built page, by their path in the address: `/index.html`, `/assets/main-4fK2.js`. Requests are looked up
 * here, and never reach the file system. Symbolic links are left out.
 *
 * @param values what the page finds in `<meta name="detent-…">`: the prefix of its addresses, and what people type in front of a command
 * @returns nothing if there is no such folder
 */
export function readPage(folder: string, values: PageValues): ReadonlyMap<string, PageFile> {
  const contents = new Map<string, Uint8Array<ArrayBuffer>>();
  for (const name of namesIn(folder))
    contents.set(name, bytesOf(readWholeSync(join(folder, name), { followsLink: false })));
  const files = new Map<string, PageFile>();
  for (const [name, bytes] of contents) {
    if (isCompressed(name, contents)) continue;
    const path = `/${name.split(sep).join('/')}`;
    const file =
      path === '/index.html' ? indexFile(bytes, values) : { bytes, encoded: besides(name, contents) };
    const hash = digestOf('sha256', file.bytes, 'base64url').slice(0, 22);
    files.set(path, { ...file, hash, type: typeOf(name) });
  }
  return files;
}

function namesIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
      .map(({ parentPath, name }) => relative(folder, join(parentPath, name)));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

type Contents = ReadonlyMap<string, Uint8Array<ArrayBuffer>>;

function isCompressed(name: string, contents: Contents): boolean {
  return Object.values(encodings).some(
    (end) => name.endsWith(end) && contents.has(name.slice(0, -end.length)),
  );
}

function besides(name: string, contents: Contents): PageFile['encoded'] {
  const found = Object.entries(encodings).map(
    ([encoding, end]) => [encoding, contents.get(name + end)] as const,
  );
  return new Map(found.flatMap(([encoding, bytes]) => (bytes ? [[encoding, bytes]] : [])));
}

/**
 * The page itself, with the addresses of its files under the prefix, and with the values that it finds. So it is compressed
 * anew.
 */
function indexFile(bytes: Uint8Array, values: PageValues): Pick<PageFile, 'bytes' | 'encoded'> {
  const metas = Object.entries(values).map(
    ([name, value]) => `<meta name="detent-${name}" content="${value.replaceAll('"', '&quot;')}" />`,
  );
  const html = Buffer.from(bytes)
    .toString('utf8')
    .replaceAll(/(\s(?:src|href)=")\.?\/(?!\/)/g, (_, attribute) => `${attribute}${values.prefix}/`)
    .replaceAll(/\s*<meta name="detent-[^>]*>/g, '')
    .replace(/<head[^>]*>/, (head) => [head, ...metas].join('\n    '));
  const changed = Buffer.from(html);
  const encoded = new Map([
    ['br', bytesOf(brotliCompressSync(changed))],
    ['gzip', bytesOf(gzipSync(changed))],
  ]);
  return { bytes: bytesOf(changed), encoded };
}

function typeOf(name: string): string {
  return types[/\.(\w+)$/.exec(name)?.[1] ?? ''] ?? 'application/octet-stream';
}

/** A copy without the memory that Node's buffers share. */
function bytesOf(buffer: Buffer): Uint8Array<ArrayBuffer> {
  return new Uint8Array(buffer);
}
