/* A shop that speaks the Universal Commerce Protocol. Each request and each of its answers is held against the published schemas. */

import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import * as z from 'zod';
import { listening } from '../../support/listening.ts';
import { type Answer, type Line, problemOf, requests, type Search, version } from './schemas.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** What happens to a request: `delayed` is cut now, and performed later; `held` is performed now, and answered later. */
export type Fault = 'none' | 'cut' | 'failsAfterWriting' | 'failsBefore' | 'delayed' | 'held' | 'refused';

interface Cart {
  id: string;
  owner: string | null;
  lines: { id: string; item: string; quantity: number; parent?: string }[];
  codes: string[];
  buyer?: unknown;
}
interface Checkout {
  id: string;
  owner: string | null;
  cart: string;
  lines: Cart['lines'];
  order: string | null;
}

export const prices: Record<string, number> = { red: 10, blue: 1999, gold: 113_110, page: 500, few: 700 };
/** Pieces that the shop has. */
const stock: Record<string, number> = { few: 3 };
const products = [
  { id: 'lamp', title: 'Lamp', items: ['red', 'blue', 'gold'], category: 'Light' },
  { id: 'mug', title: 'Mug', items: ['page', 'few'], category: 'Kitchen' },
];

export interface Profile {
  version?: string;
  capabilities?: readonly string[];
  endpoint?: string;
  supported?: Record<string, string>;
  spec?: string;
}

const kinds: Readonly<Record<string, Answer>> = {
  carts: 'cart',
  'checkout-sessions': 'checkout',
  orders: 'order',
};

function kindOf(path: string): Answer {
  return kinds[path.split('/')[1] ?? ''] ?? (path === '/catalog/search' ? 'search' : 'product');
}

export async function ucpServer(profile: Profile = {}) {
  const carts = new Map<string, Cart>();
  const checkouts = new Map<string, Checkout>();
  const answers = new Map<string, { hash: string; json: unknown }>();
  const faults: Fault[] = [];
  const later: (() => void)[] = [];
  const held: (() => void)[] = [];
  const violations: string[] = [];
  const seen: {
    method: string;
    path: string;
    user: string | null;
    key: string | undefined;
    agent: string | undefined;
  }[] = [];
  let made = 0;
  const has = new Set(
    profile.capabilities ?? ['catalog.search', 'catalog.lookup', 'cart', 'checkout', 'order', 'discount'],
  );
  const says = (capability: string, more: object, alsoOfUcp: object = {}) => ({
    ucp: {
      version,
      capabilities: { [`dev.ucp.shopping.${capability}`]: [{ version }] },
      ...alsoOfUcp,
    },
    ...more,
  });
  const refuses = (code: string, content: string) => ({
    ucp: { version, status: 'error' },
    messages: [{ type: 'error', code, content, severity: 'unrecoverable' }],
  });
  const sum = (lines: Cart['lines']) =>
    lines.reduce((sum, { item, quantity }) => sum + (prices[item] ?? 0) * quantity, 0);

  function moneyOf({ lines, codes }: Pick<Cart, 'lines' | 'codes'>) {
    const subtotal = sum(lines);
    const applied = codes.filter((code) => code === 'TEN');
    const off = applied.length > 0 ? Math.floor(subtotal / 10) : 0;
    return {
      currency: 'USD',
      line_items: lines.map(({ id, item, quantity, parent }) => ({
        id,
        item: { id: item, title: `A ${item} thing`, price: prices[item] },
        quantity,
        totals: [{ type: 'total', amount: (prices[item] ?? 0) * quantity }],
        ...(parent && { parent_id: parent }),
      })),
      totals: [
        { type: 'subtotal', amount: subtotal },
        ...(off ? [{ type: 'discount', amount: -off }] : []),
        { type: 'total', amount: subtotal - off },
      ],
      ...(has.has('discount') && {
        discounts: { codes, applied: applied.map((code) => ({ code, title: 'Ten', amount: off })) },
      }),
    };
  }

  function cartJson(cart: Cart, messages: object[] = []) {
    return says('cart', {
      id: cart.id,
      ...moneyOf(cart),
      ...(cart.buyer ? { buyer: cart.buyer } : {}),
      messages,
    });
  }

  /** Lines as the shop takes them: unknown items are dropped, and pieces that are not there. */
  function taken(wanted: readonly Line[]) {
    const messages: object[] = [];
    const lines = wanted.flatMap(({ id, item, quantity, parent_id }) => {
      if (!(item.id in prices)) {
        messages.push({
          type: 'error',
          code: 'item_unavailable',
          content: `no ${item.id}`,
          severity: 'recoverable',
        });
        return [];
      }
      const kept = Math.min(quantity, stock[item.id] ?? quantity);
      if (kept < quantity)
        messages.push({ type: 'warning', code: 'out_of_stock', content: `only ${kept} of ${item.id}` });
      return {
        id: id ?? `li_${++made}`,
        item: item.id,
        quantity: kept,
        ...(parent_id && { parent: parent_id }),
      };
    });
    return { lines, messages };
  }

  function owned<T extends { owner: string | null }>(found: T | undefined, user: string | null): T | null {
    if (!found) return null;
    if (found.owner === user) return found;
    violations.push(`${user} asked for what is ${found.owner}'s`);
    return null;
  }

  function perform(method: string, path: string, body: unknown, user: string | null): unknown {
    const [, room = '', id = ''] = path.split('/').map(decodeURIComponent);
    const parse = <T>(schema: z.ZodType<T>): T => {
      const result = schema.safeParse(body);
      if (!result.success) violations.push(`${method} ${path}: ${z.prettifyError(result.error)}`);
      return schema.parse(body);
    };
    switch (`${method} ${room}`) {
      case 'POST carts': {
        const { line_items, buyer, discounts } = parse(requests.createCart);
        const { lines, messages } = taken(line_items);
        if (lines.length === 0 && line_items.length > 0)
          return refuses('out_of_stock', 'none of it is there');
        const cart: Cart = { id: `cart_${++made}`, owner: user, lines, codes: discounts?.codes ?? [], buyer };
        carts.set(cart.id, cart);
        return cartJson(cart, messages);
      }
      case 'GET carts': {
        const cart = owned(carts.get(id), user);
        return cart ? cartJson(cart) : refuses('not_found', 'no such cart');
      }
      case 'PUT carts': {
        const { line_items, buyer, discounts } = parse(requests.updateCart);
        const cart = owned(carts.get(id), user);
        if (!cart) return refuses('not_found', 'no such cart');
        const { lines, messages } = taken(line_items);
        Object.assign(cart, { lines, codes: discounts?.codes ?? [], buyer });
        return cartJson(cart, messages);
      }
      case 'POST checkout-sessions': {
        const { cart_id = '' } = parse(requests.createCheckout);
        const cart = owned(carts.get(cart_id), user);
        if (!cart) return refuses('not_found', 'no such cart');
        const before = [...checkouts.values()].find((it) => it.cart === cart.id && it.order === null);
        const checkout = before ?? {
          id: `checkout_${++made}`,
          owner: user,
          cart: cart.id,
          lines: [...cart.lines],
          order: null,
        };
        checkouts.set(checkout.id, checkout);
        return checkoutJson(checkout);
      }
      case 'GET checkout-sessions': {
        const checkout = owned(checkouts.get(id), user);
        return checkout ? checkoutJson(checkout) : refuses('not_found', 'no such checkout');
      }
      case 'PUT checkout-sessions': {
        const { line_items } = parse(requests.updateCheckout);
        const checkout = owned(checkouts.get(id), user);
        if (!checkout) return refuses('not_found', 'no such checkout');
        checkout.lines = taken(line_items).lines;
        return checkoutJson(checkout);
      }
      case 'GET orders': {
        // Whoever asks: what a shop looks like that knows platforms, and not their users.
        const checkout = [...checkouts.values()].find((it) => it.order === id);
        return checkout ? orderJson(checkout) : refuses('not_found', 'no such order');
      }
      case 'POST catalog':
        return id === 'search' ? searched(parse(requests.search)) : detail(parse(requests.product).id);
      default:
        violations.push(`${method} ${path}`);
        return refuses('not_found', 'no such resource');
    }
  }

  function checkoutJson(checkout: Checkout) {
    const url = `https://shop.example/pay/${checkout.id}`;
    const { lines, order } = checkout;
    return says(
      'checkout',
      {
        id: checkout.id,
        status: order ? 'completed' : 'requires_escalation',
        links: [],
        continue_url: url,
        ...moneyOf({ lines, codes: [] }),
        ...(order && { order: { id: order, permalink_url: url } }),
      },
      { payment_handlers: {} },
    );
  }

  function orderJson({ id, order, lines }: Checkout) {
    const { line_items, ...money } = moneyOf({ lines, codes: [] });
    return says('order', {
      id: order,
      checkout_id: id,
      permalink_url: `https://shop.example/orders/${order}`,
      ...money,
      line_items: line_items.map((it) => ({
        ...it,
        quantity: { total: it.quantity, fulfilled: it.quantity },
        status: 'fulfilled',
      })),
      fulfillment: {
        events: [
          {
            id: 'e',
            occurred_at: '2026-11-01T08:00:00Z',
            type: 'shipped',
            line_items: lines,
            tracking_number: '1Z',
          },
        ],
      },
    });
  }

  function productJson({ id, title, items, category }: (typeof products)[number]) {
    const price = (item: string) => ({ amount: prices[item], currency: 'USD' });
    return {
      id,
      title,
      description: { plain: title },
      price_range: { min: price(items[0] ?? ''), max: price(items.at(-1) ?? '') },
      categories: [{ value: category, taxonomy: 'merchant' }],
      rating: { value: 8, scale_max: 10 },
      variants: items.map((item) => ({
        id: item,
        title: item,
        description: { plain: item },
        price: price(item),
        availability: { available: item !== 'gold' },
        selected_options: [{ name: 'Color', label: item }],
      })),
    };
  }

  function searched({ query = '', pagination = {} }: Search) {
    const found = products.filter(({ title }) => title.toLowerCase().includes(query.toLowerCase()));
    const from = Number(pagination.cursor ?? 0);
    const to = from + (pagination.limit ?? 10);
    return says('catalog.search', {
      products: found.slice(from, to).map(productJson),
      pagination: { cursor: String(to), has_next_page: to < found.length, total_count: found.length },
    });
  }

  function detail(id: string) {
    const product = products.find((it) => it.id === id || it.items.includes(id));
    return product
      ? says('catalog.lookup', { product: productJson(product) })
      : refuses('not_found', 'no such product');
  }

  function profileJson(base: string) {
    const {
      version: own = version,
      endpoint = `${base}/ucp`,
      supported,
      spec = 'https://ucp.dev/x',
    } = profile;
    const service = { version: own, spec, transport: 'rest', endpoint };
    return {
      ucp: {
        version: own,
        services: { 'dev.ucp.shopping': [{ ...service, transport: 'mcp' }, service] },
        payment_handlers: {},
        capabilities: Object.fromEntries(
          [...has].map((name) => [`dev.ucp.shopping.${name}`, [{ version: own, spec, schema: spec }]]),
        ),
        ...(supported && { supported_versions: supported }),
      },
    };
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    const chunks = await Array.fromAsync(request);
    const text = Buffer.concat(chunks).toString();
    const end = (status: number, json: unknown) => response.writeHead(status).end(JSON.stringify(json));
    const agent = headers['ucp-agent']?.toString();
    if (!/^profile="http[^"]+"$/.test(agent ?? '')) violations.push(`${method} ${url}: UCP-Agent ${agent}`);
    const answered = <T>(kind: Answer, json: T): T => {
      const problem = problemOf(kind, json);
      if (problem !== null) violations.push(`the answer to ${method} ${url}: ${problem}`);
      return json;
    };
    if (url === '/.well-known/ucp') return void end(200, answered('profile', profileJson(base)));
    const path = url.replace(/^\/ucp/, '');
    const [, user = null] = /^Bearer secret-of-(\w+)$/.exec(headers.authorization ?? '') ?? [];
    const key = headers['idempotency-key']?.toString();
    seen.push({ method, path, user, key, agent });
    if (!uuid.test(headers['request-id']?.toString() ?? '')) violations.push(`${path}: Request-Id`);
    const isChange = method !== 'GET' && !path.startsWith('/catalog');
    if (isChange && !uuid.test(key ?? '')) violations.push(`${path}: Idempotency-Key ${key}`);
    const work = () => {
      const hash = createHash('sha256').update(`${method} ${path} ${text}`).digest('hex');
      const kept = key === undefined ? undefined : answers.get(`${user} ${key}`);
      if (kept && kept.hash !== hash) violations.push(`${path}: a key for two requests`);
      const json =
        kept?.json ??
        answered(kindOf(path), perform(method, path, text === '' ? null : JSON.parse(text), user));
      if (key !== undefined) answers.set(`${user} ${key}`, { hash, json });
      return json;
    };
    const fault = faults.shift() ?? 'none';
    switch (fault) {
      case 'failsBefore':
        return void end(503, {});
      case 'refused':
        return void end(401, {});
      case 'delayed':
        later.push(work);
        return void request.socket.destroy();
      case 'held': {
        const json = work();
        return void held.push(() => end(200, json));
      }
      case 'cut':
        work();
        return void request.socket.destroy();
      case 'failsAfterWriting':
        work();
        return void end(500, {});
      case 'none':
        return void end(method === 'POST' && isChange ? 201 : 200, work());
    }
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: Error) => {
      violations.push(error.message);
      response.writeHead(400).end('{}');
    });
  });
  const base = await listening(server);
  return {
    url: base,
    carts,
    checkouts,
    faults,
    seen,
    violations,
    /** Answers the requests that are held. */
    release() {
      for (const answer of held.splice(0)) answer();
    },
    /** Performs the first of the requests that are delayed, or all. */
    arrive(all = false) {
      for (const work of later.splice(0, all ? later.length : 1)) work();
    },
    reset() {
      for (const list of [carts, checkouts, answers]) list.clear();
      for (const list of [faults, later, seen, violations]) list.length = 0;
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
