import { createHmac, timingSafeEqual } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';

/** Something that the page tells a customer, now or when they come back. */
export interface Notice {
  /** Counts up. */
  id: number;
  userId: string;
  kind: 'price' | 'refund';
  data: unknown;
}

const maxKept = 1_000;

/** What customers are still to be told. A shop has a table for this; here it is a file. */
export class Notices {
  readonly #file: string;
  readonly #listeners = new Set<(notice: Notice) => void>();
  #kept: { notices: Notice[]; known: string[] } = { notices: [], known: [] };

  constructor(file: string) {
    this.#file = file;
    if (existsSync(file)) this.#kept = JSON.parse(readFileSync(file, 'utf8'));
  }

  /** @param key of what brought it: the second time it is not told again. */
  add(key: string, notice: Omit<Notice, 'id'>): void {
    const { notices, known } = this.#kept;
    if (known.includes(key)) return;
    const told = { ...notice, id: (notices.at(-1)?.id ?? 0) + 1 };
    this.#kept = { notices: [...notices, told].slice(-maxKept), known: [...known, key].slice(-maxKept) };
    this.#write();
    for (const listen of this.#listeners) listen(told);
  }

  /** Those of a guest are the customer's who has logged in. */
  move(from: string, to: string): void {
    const notices = this.#kept.notices.map((one) => (one.userId === from ? { ...one, userId: to } : one));
    this.#kept = { ...this.#kept, notices };
    this.#write();
  }

  after(id: number, userId: string): Notice[] {
    return this.#kept.notices.filter((one) => one.id > id && one.userId === userId);
  }

  listen(listen: (notice: Notice) => void): () => void {
    this.#listeners.add(listen);
    return () => void this.#listeners.delete(listen);
  }

  #write(): void {
    writeFileSync(`${this.#file}.new`, JSON.stringify(this.#kept), { mode: 0o600 });
    renameSync(`${this.#file}.new`, this.#file);
  }
}

/** Whether a webhook is signed with the secret, by Standard Webhooks, and not older than five minutes. */
export function isSigned(headers: IncomingHttpHeaders, body: string, secret: string): boolean {
  const { 'webhook-id': id = '', 'webhook-timestamp': at, 'webhook-signature': given = '' } = headers;
  if (!(Math.abs(Date.now() / 1000 - Number(at)) < 300)) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const wanted = Buffer.from(
    `v1,${createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64')}`,
  );
  return String(given)
    .split(' ')
    .some((one) => one.length === wanted.length && timingSafeEqual(Buffer.from(one), wanted));
}
