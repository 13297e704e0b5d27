import { randomBytes } from 'node:crypto';
import { DetentError } from '../../protocol/error.ts';
import { hex, sha256 } from '../../text/ids.ts';
import type { LetIn } from '../access/gate.ts';

const ticketMs = 60_000;
/** Maximum unused tickets of one user; the oldest is dropped. */
const maxPerUser = 50;
const maxTickets = 5_000;

/** What a ticket allows: a WebSocket that follows one run or all runs, or one that sends the messages of actors. */
export type Admission =
  | { use: 'follow'; runId: string | null }
  /** `sender`: a name for the program; null for none. */
  | { use: 'send'; sender: string | null };

interface Ticket {
  who: LetIn;
  admission: Admission;
}

/**
 * Tickets for WebSockets of inspectors, whose clients can set no header and send no first frame. A ticket stands in the
 * address, so it works once, for a minute, for one purpose: a ticket that a log has kept lets no one in.
 */
export class Tickets {
  readonly #steady: () => number;
  readonly #tickets = new Map<string, Ticket & { until: number }>();

  /** @param steady milliseconds of a clock that never steps. Default: that of the process */
  constructor(steady = () => performance.now()) {
    this.#steady = steady;
  }

  make(who: LetIn, admission: Admission): { ticket: string; expiresAt: number } {
    this.#forget(who.holder);
    const ticket = randomBytes(32).toString('base64url');
    const until = this.#steady() + ticketMs;
    this.#tickets.set(hex(sha256(ticket)), { who, admission, until });
    return { ticket, expiresAt: Date.now() + ticketMs };
  }

  /**
   * Uses up a ticket, even if it is for something else.
   *
   * @throws DetentError `UNAUTHORIZED` for one that is wrong, used, too old, or for something else.
   */
  take(ticket: string, asked: { use: Admission['use']; runId?: string | null }): Ticket {
    const digest = hex(sha256(ticket));
    const found = this.#tickets.get(digest);
    this.#tickets.delete(digest);
    const fits = found?.admission.use === asked.use && (asked.use === 'send' || isFor(found, asked.runId));
    if (found && fits && found.until > this.#steady()) return found;
    throw new DetentError(
      'UNAUTHORIZED',
      'this ticket was used before, is older than a minute, or is for another address: ask for one with the method inspect.ticket',
    );
  }

  #forget(holder: string): void {
    const now = this.#steady();
    for (const [digest, { until }] of this.#tickets) if (until <= now) this.#tickets.delete(digest);
    const own = [...this.#tickets].filter(([, { who }]) => who.holder === holder);
    const [oldest] = this.#tickets.keys();
    if (own.length >= maxPerUser && own[0]) this.#tickets.delete(own[0][0]);
    else if (this.#tickets.size >= maxTickets && oldest !== undefined) this.#tickets.delete(oldest);
  }
}

function isFor({ admission }: Ticket, runId: string | null | undefined): boolean {
  return admission.use === 'follow' && admission.runId === runId;
}

/** What a WebSocket asks for under `/inspect`. */
export type InspectPlace = { use: 'follow'; runId: string | null } | { use: 'send' };

/**
 * The place that a URL names: `/inspect` all runs, `/inspect/RUN` one, `/inspect/in` for actors that send. Null for all others.
 *
 * @param path without the query.
 */
export function inspectPlace(prefix: string, path: string): InspectPlace | null {
  const root = `${prefix}/inspect`;
  if (path === root || path === `${root}/`) return { use: 'follow', runId: null };
  if (!path.startsWith(`${root}/`)) return null;
  const name = path.slice(root.length + 1);
  if (name === 'in') return { use: 'send' };
  try {
    const runId = decodeURIComponent(name);
    return /^[^/\p{Cc}\p{Cs}]{1,200}$/u.test(runId) ? { use: 'follow', runId } : null;
  } catch {
    return null;
  }
}

/** The path of a place. */
export function pathOf(prefix: string, place: InspectPlace): string {
  if (place.use === 'send') return `${prefix}/inspect/in`;
  return place.runId === null ? `${prefix}/inspect` : `${prefix}/inspect/${encodeURIComponent(place.runId)}`;
}
