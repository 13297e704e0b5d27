import type { Detent } from '../../index.ts';
import { type LetIn, mayStay, unauthorized } from './gate.ts';

/** Tokens that are checked again at once. */
const checkedAtOnce = 50;
/** How often tokens are checked for an expiry that has passed, in milliseconds. */
const lookMs = 500;

/** Something that is open with a token, and ends with it: a connection, an event stream, a request that waits. */
export interface Opened {
  /** The client that opened it; null for a connection before its `connect`. */
  who(): LetIn | null;
  /** Ends it if its token is not valid any more, or stands for another tenant or user. */
  checkToken(): Promise<void>;
}

/** Ends what is open when its token has ended. One read of the database serves all of it. */
export class TokenChecks {
  readonly #detent: Pick<Detent, 'tokens'>;
  readonly #opened = new Set<Opened>();
  #unwatch: (() => void) | null = null;
  #isChecking = false;
  #isOutdated = false;

  constructor(detent: Pick<Detent, 'tokens'>) {
    this.#detent = detent;
  }

  /** Watches the token of what was opened. Returns the function that stops it. */
  add(opened: Opened): () => void {
    this.#opened.add(opened);
    this.#unwatch ??= this.#watch();
    return () => {
      this.#opened.delete(opened);
      if (this.#opened.size > 0) return;
      this.#unwatch?.();
      this.#unwatch = null;
    };
  }

  /** Checks all tokens, unless a check is still running: the host's `authenticate` may be slow. */
  beat(): void {
    if (!this.#isChecking) void this.#checkAll();
  }

  /** Checks the tokens of some clients, also while others are checked. */
  async check(isMeant: (who: LetIn) => boolean): Promise<void> {
    const meant = [...this.#opened].filter((one) => {
      const who = one.who();
      return who !== null && isMeant(who);
    });
    for (let i = 0; i < meant.length; i += checkedAtOnce)
      await Promise.allSettled(meant.slice(i, i + checkedAtOnce).map((one) => one.checkToken()));
  }

  #watch(): () => void {
    const unwatch = this.#detent.tokens.watch(() => this.#ended());
    let isLooking = false;
    const look = async () => {
      if (isLooking) return;
      isLooking = true;
      const now = this.#detent.tokens.now();
      await this.check((who) => who.hasExpired(now));
      isLooking = false;
    };
    const timer = setInterval(() => void look(), lookMs).unref();
    return () => {
      clearInterval(timer);
      unwatch();
    };
  }

  /** Tokens that were checked before the notice are checked once more. */
  #ended(): void {
    this.#isOutdated = true;
    this.beat();
  }

  async #checkAll(): Promise<void> {
    this.#isChecking = true;
    do {
      this.#isOutdated = false;
      await this.check(() => true);
    } while (this.#isOutdated);
    this.#isChecking = false;
  }
}

interface Bounds {
  tokens: TokenChecks;
  /** Each of them ends the wait. */
  signals: readonly AbortSignal[];
  report(error: unknown): void;
}

/**
 * Waits for a client as long as its token is valid. Only the few methods that wait need signals: most calls are answered at once.
 *
 * @throws DetentError `UNAUTHORIZED` when its token has ended meanwhile.
 */
export async function whileLetIn<T>(
  who: LetIn,
  { tokens, signals, report }: Bounds,
  wait: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  let isRefused = false;
  const end = () => over.abort();
  const checkToken = async () => {
    isRefused ||= !(await mayStay(who, report));
    if (isRefused) end();
  };
  const unwatch = tokens.add({ who: () => who, checkToken });
  // AbortSignal.any takes longer than the rest of the wait, and leaves garbage with signals that live long.
  for (const one of signals) one.addEventListener('abort', end);
  try {
    if (signals.some(({ aborted }) => aborted)) end();
    const waited = await wait(over.signal);
    await checkToken();
    if (isRefused) throw unauthorized();
    return waited;
  } finally {
    unwatch();
    for (const one of signals) one.removeEventListener('abort', end);
  }
}
