import { readFile } from 'node:fs/promises';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Detent } from 'detent';
import type { Scheduler } from 'detent/schedule';
import { type CartChange, type DemoShop, ShopDenied } from 'detent/shop';
import { checkoutPage } from './checkout-page.ts';
import { isSigned, type Notices } from './notices.ts';
import { Look } from './price.machine.ts';
import { asUser, type Visitor, type Visitors } from './visitors.ts';

export interface SiteParts {
  detent: Detent;
  scheduler: Scheduler;
  shop: DemoShop;
  notices: Notices;
  visitors: Visitors;
  /** What jobs sign their webhooks with. */
  secret: string;
}

interface Visit {
  request: IncomingMessage;
  response: ServerResponse;
  /** The rest of the path. */
  rest: string;
  visitor: Visitor | null;
  body: string;
}

const headers = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; form-action 'self'; " +
    "base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
};
const types: Record<string, string> = { html: 'text/html', css: 'text/css', js: 'text/javascript' };
const cookieName = 'shop';
const maxBody = 10_000;

/** The shop's own pages and requests: all but the gateway. */
export async function openSite(parts: SiteParts): Promise<RequestListener> {
  const { detent, shop, notices, visitors } = parts;
  const files = await pageFiles();

  const routes: Record<string, (visit: Visit) => Promise<void>> = {
    /** Who has the page open. A stranger is a guest from now on. */
    async 'POST /me'({ request, response, visitor, body }) {
      // A login in another tab ends the guest before its answer brings the new cookie: a new guest now would take its place.
      const isOver = visitor === null && cookieOf(request) !== '';
      if (isOver && !JSON.parse(body || '{}').again) return send(response, 401, { code: 'OVER' });
      const here = visitor ?? (await visitors.newGuest());
      greet(response, here);
    },
    async 'POST /login'({ response, visitor, body }) {
      const { user, password } = JSON.parse(body);
      const here = await visitors.logIn(visitor, String(user), String(password));
      if (here) greet(response, here);
      else send(response, 401, { code: 'WRONG_PASSWORD' });
    },
    async 'POST /logout'({ response, visitor }) {
      if (visitor) await visitors.logOut(visitor);
      greet(response, await visitors.newGuest());
    },
    async 'GET /cart'({ response, visitor }) {
      send(response, 200, await shop.cart(asUser(need(visitor).userId)));
    },
    /** The customer's own act, so nobody is asked. */
    async 'POST /cart'({ response, visitor, body }) {
      const { key, ...change } = JSON.parse(body) as CartChange & { key: string };
      send(response, 200, await shop.changeCart(change, ownWrite(visitor, key)));
    },
    async 'POST /checkout'({ response, visitor, body }) {
      const { url } = await shop.checkout(ownWrite(visitor, JSON.parse(body).key));
      send(response, 200, { url });
    },
    async 'GET /checkout/'({ response, visitor, rest }) {
      const customer = await customerOf(need(visitor));
      html(response, checkoutPage(shop.checkoutOf(rest, 1), customer));
    },
    async 'POST /checkout/'({ response, visitor, rest, body }) {
      const methodId = new URLSearchParams(body).get('method') ?? '';
      const order = shop.placeOrder(rest, need(visitor).userId, methodId, 1);
      html(response, checkoutPage(order, null));
    },
    async 'GET /notices'({ request, response, visitor }) {
      const { userId } = need(visitor);
      const asked = new URL(request.url ?? '', 'http://shop').searchParams.get('after');
      const tell = (one: { id: number; userId: string }) => {
        if (one.userId === userId) response.write(`id: ${one.id}\ndata: ${JSON.stringify(one)}\n\n`);
      };
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
      response.write('retry: 2000\n\n');
      const stop = notices.listen(tell);
      request.once('close', stop);
      for (const one of notices.after(Number(request.headers['last-event-id'] ?? asked ?? 0), userId))
        tell(one);
    },
    /** What a job saw of a price. It comes at least once, so its id is the key of the notice. */
    async 'POST /hooks/price'({ request, response, body }) {
      if (!isSigned(request.headers, body, parts.secret)) return send(response, 401, { code: 'NOT_SIGNED' });
      const { jobId, text: said } = JSON.parse(body).data;
      const look = Look.safeParse(JSON.parse(said || 'null'));
      const job = (await parts.scheduler.list({ limit: 1_000 })).find((one) => one.jobId === jobId);
      if (look.success && look.data.isReached && job?.userId) {
        const key = String(request.headers['webhook-id']);
        notices.add(key, { userId: job.userId, kind: 'price', data: look.data });
        // Told once. Not removed: this very delivery belongs to it.
        await parts.scheduler.disable(jobId, 'the price is reached');
      }
      send(response, 204);
    },
    /** For the staff, who show their token: `curl -H "Authorization: Bearer …" -d '{"itemId":"tea-jasmine-50","minor":2900}'`. */
    async 'POST /staff/prices'({ request, response, body }) {
      const token = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
      const caller = await detent.tokens.check(token);
      if (!caller?.scopes.includes('approve')) return send(response, 403, { code: 'NOT_STAFF' });
      const { itemId, minor } = JSON.parse(body);
      shop.setPrice(String(itemId), Number(minor), 1);
      send(response, 204);
    },
  };

  async function customerOf({ userId }: Visitor) {
    return shop.findCustomer({ by: 'id', customerId: userId }, asUser(userId));
  }

  return async (request, response) => {
    try {
      const { pathname } = new URL(request.url ?? '/', 'http://shop');
      const file = request.method === 'GET' ? files.get(pathname) : undefined;
      if (file) return sendFile(request, response, file);
      const [, head = '', rest = ''] = /^(\/checkout\/|.*)(.*)$/.exec(pathname) ?? [];
      const route = routes[`${request.method} ${head}`];
      if (!route) return send(response, 404, { code: 'NOT_FOUND' });
      if (request.method === 'POST' && isForeign(request))
        return send(response, 403, { code: 'FOREIGN_PAGE' });
      const body = request.method === 'POST' ? await bodyOf(request) : '';
      await route({ request, response, rest, body, visitor: await visitors.known(cookieOf(request)) });
    } catch (error) {
      if (error instanceof ShopDenied)
        return send(response, 409, { code: error.code, message: error.message });
      if (error instanceof Refused) return send(response, error.status, { code: error.message });
      if (error instanceof SyntaxError) return send(response, 400, { code: 'INVALID_BODY' });
      console.error(error);
      if (response.headersSent) response.end();
      else send(response, 500, { code: 'INTERNAL' });
    }
  };
}

class Refused extends Error {
  readonly status: number;

  constructor(status: number, code: string) {
    super(code);
    this.status = status;
  }
}

function need(visitor: Visitor | null): Visitor {
  if (visitor) return visitor;
  throw new Refused(401, 'NOBODY');
}

function ownWrite(visitor: Visitor | null, key: unknown) {
  const { userId } = need(visitor);
  if (typeof key !== 'string' || key.length > 100) throw new Refused(400, 'INVALID_KEY');
  return { ...asUser(userId), key: `page:${userId}:${key}`, runId: '', callId: '' };
}

/** A page of another origin may not act with the cookie. Programs, such as the deliveries of jobs, send no such header. */
function isForeign({ headers: { 'sec-fetch-site': from } }: IncomingMessage): boolean {
  return from !== undefined && from !== 'same-origin';
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
  if (Number(length ?? 0) > maxBody || coding !== undefined) throw new Refused(413, 'TOO_LARGE');
  return text(request);
}

function cookieOf({ headers: { cookie = '' } }: IncomingMessage): string {
  return (
    new Map(cookie.split('; ').map((one) => [one.split('=', 1)[0], one.slice(one.indexOf('=') + 1)])).get(
      cookieName,
    ) ?? ''
  );
}

/** The cookie cannot be read by scripts, nor is it sent by pages of others. Behind TLS, add `Secure`. */
function greet(response: ServerResponse, { token, userId, isGuest }: Visitor): void {
  const cookie = `${cookieName}=${token}; HttpOnly; SameSite=Strict; Path=/; Max-Age=2592000`;
  response.setHeader('set-cookie', cookie);
  send(response, 200, { token, userId, isGuest });
}

function send(response: ServerResponse, status: number, body?: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(body === undefined ? undefined : JSON.stringify(body));
}

function html(response: ServerResponse, page: string): void {
  response.writeHead(200, { ...headers, 'content-type': 'text/html; charset=utf-8' }).end(page);
}

interface PageFile {
  type: string;
  bytes: Buffer;
  packed: Buffer;
}

/** The files of the page, by their paths. The client is the one that Detent brings. */
async function pageFiles(): Promise<Map<string, PageFile>> {
  const own = (name: string) => join(import.meta.dirname, 'page', name);
  const places: Record<string, string> = {
    '/': own('index.html'),
    '/client.min.js': fileURLToPath(import.meta.resolve('detent/client.min.js')),
  };
  for (const name of ['style.css', 'page.js', 'story.js', 'cards.js', 'sheets.js', 'words.js', 'dom.js'])
    places[`/${name}`] = own(name);
  const read = Object.entries(places).map(async ([path, file]): Promise<[string, PageFile]> => {
    const bytes = await readFile(file);
    return [
      path,
      { type: types[file.split('.').pop() ?? ''] ?? 'text/plain', bytes, packed: gzipSync(bytes) },
    ];
  });
  return new Map(await Promise.all(read));
}

function sendFile(
  { headers: { 'accept-encoding': takes = '' } }: IncomingMessage,
  response: ServerResponse,
  file: PageFile,
) {
  const isPacked = /\bgzip\b/.test(String(takes));
  const more = {
    'content-type': `${file.type}; charset=utf-8`,
    ...(isPacked && { 'content-encoding': 'gzip' }),
  };
  const bytes = isPacked ? file.packed : file.bytes;
  response.writeHead(200, { ...headers, ...more, vary: 'accept-encoding', 'content-length': bytes.length });
  response.end(bytes);
}
