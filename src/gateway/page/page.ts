import { DetentError } from '../../protocol/error.ts';
import { ownPageFolder, type PageFile, readPage } from './page-files.ts';

/** The Content Security Policy: injected text must not become a program, a form or a request to another site. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' data: blob:",
  // Covers WebSockets of the page's own host, too: in Chromium since 71, in Safari since 16.
  "connect-src 'self'",
  "manifest-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "object-src 'none'",
  "require-trusted-types-for 'script'",
  // No part of the page sets HTML, so no part may say that a text is safe to be HTML.
  "trusted-types 'none'",
].join('; ');

const unusedFeatures = ['camera', 'display-capture', 'geolocation', 'microphone', 'midi', 'payment', 'usb'];

/** Of all files: any of them can be opened as a document of its own. */
const safetyHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': policy,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': unusedFeatures.map((name) => `${name}=()`).join(', '),
  'referrer-policy': 'no-referrer',
  // Browsers look up the host names of links before a person follows them, and a host name can leak data.
  'x-dns-prefetch-control': 'off',
  'x-content-type-options': 'nosniff',
};

/** First parts of paths of interfaces and files; no address of the page begins with them. */
const notPages = ['api', 'v1', 'ws', 'inspect', 'healthz', 'readyz', 'assets'];

/** Files whose name changes with their content. */
const hashedFolder = '/assets/';

export interface PageOptions {
  /** Of a page that you built. Default: that of Detent. */
  folder?: string;
  /** What people type in front of a command, which the page names in its advice. Default: `detent`. */
  program?: string;
}

/**
 * The page that a gateway is to serve.
 *
 * @throws DetentError `INVALID_CONFIG` if a folder is named that has no page.
 */
export function openPage(wanted: boolean | PageOptions, prefix: string): Page | 'not built' | null {
  if (wanted === false) return null;
  const { folder: own, program = 'detent' } = wanted === true ? {} : wanted;
  const folder = own ?? ownPageFolder();
  const files = readPage(folder, { prefix, program });
  const index = files.get('/index.html');
  if (index) return new Page(prefix, files, index);
  if (own === undefined) return 'not built';
  throw new DetentError('INVALID_CONFIG', `page of a gateway: there is no index.html in ${folder}`);
}

/** The web page of a gateway, out of memory: its files are those of the moment at which the gateway was made. */
export class Page {
  readonly #prefix: string;
  readonly #files: ReadonlyMap<string, PageFile>;
  readonly #index: PageFile;

  constructor(prefix: string, files: ReadonlyMap<string, PageFile>, index: PageFile) {
    this.#prefix = prefix;
    this.#files = files;
    this.#index = index;
  }

  /**
   * A file of the page, or the page itself for each of its addresses (`/runs/run_x`), which are opened in a browser only.
   *
   * @returns null if the request asks for something else
   */
  answer({ method, url, headers }: Pick<Request, 'method' | 'url' | 'headers'>): Response | null {
    if (method !== 'GET' && method !== 'HEAD') return null;
    const { pathname } = new URL(url);
    if (pathname !== this.#prefix && !pathname.startsWith(`${this.#prefix}/`)) return null;
    const path = pathname.slice(this.#prefix.length);
    const file = this.#files.get(path);
    if (file) return respond(file, path, method, headers);
    const [, first = ''] = path.split('/', 2);
    if (notPages.includes(first) || !isAccepted(headers.get('accept'), 'text/html')) return null;
    return respond(this.#index, '/', method, headers);
  }
}

function respond(file: PageFile, path: string, method: string, asked: Headers): Response {
  const encoding = acceptedEncoding(asked.get('accept-encoding'), file.encoded);
  const body = encoding === null ? file.bytes : (file.encoded.get(encoding) ?? file.bytes);
  const etag = `"${file.hash}${encoding === null ? '' : `-${encoding}`}"`;
  const headers: Record<string, string> = {
    ...safetyHeaders,
    'cache-control': path.startsWith(hashedFolder) ? 'public, max-age=31536000, immutable' : 'no-cache',
    etag,
    // The same address has another answer for programs.
    vary: path === '/' ? 'accept, accept-encoding' : 'accept-encoding',
  };
  if (isKnownTag(asked.get('if-none-match'), etag)) return new Response(null, { status: 304, headers });
  headers['content-type'] = file.type;
  headers['content-length'] = String(body.length);
  if (encoding !== null) headers['content-encoding'] = encoding;
  return new Response(method === 'HEAD' ? null : body, { headers });
}

/** What a header such as `Accept` lists, without what its client refuses (`q=0`), in lower case. */
function headerValues(header: string | null): { accepted: Set<string>; refused: Set<string> } {
  const accepted = new Set<string>();
  const refused = new Set<string>();
  for (const part of (header ?? '').toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim());
    const isRefused = parameters.some((parameter) => /^q\s*=\s*0(?:\.0*)?$/.test(parameter));
    (isRefused ? refused : accepted).add(name);
  }
  return { accepted, refused };
}

/** Whether a client names a type itself. A program asks for any type, which is no wish for a page. */
function isAccepted(header: string | null, type: string): boolean {
  return headerValues(header).accepted.has(type);
}

/**
 * The first of the encodings that a client takes; null for none.
 *
 * @param available in the order of preference
 */
function acceptedEncoding(header: string | null, available: ReadonlyMap<string, unknown>): string | null {
  const { accepted, refused } = headerValues(header);
  for (const encoding of available.keys())
    if (accepted.has(encoding) || (accepted.has('*') && !refused.has(encoding))) return encoding;
  return null;
}

/** Whether a client has the representation with this tag. A proxy that compresses makes tags weak. */
function isKnownTag(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false;
  return ifNoneMatch.split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, '')));
}
