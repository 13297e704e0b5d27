import { type Clock, workedMs } from '../../engine/clock.ts';

/** Tokens that a call has reserved. */
export interface Reservation {
  /** Replaces the estimate by the real number; the time of the reservation stays. */
  correct(tokens: number): void;
}

const minuteMs = 60_000;

interface Taken {
  at: number;
  tokens: number;
}

interface Waiting {
  tokens: number;
  go(taken: Taken): void;
}

/**
 * A rate limiter: the calls that begin within any one minute have at most `perMinute` tokens together.
 *
 * Strictly first in, first out: small calls do not overtake a large one. A call larger than the whole rate goes when no
 * other call began within the last minute.
 */
export class TokenRate {
  readonly #perMinute: number;
  readonly #clock: Clock;
  #taken: Taken[] = [];
  readonly #line: Waiting[] = [];
  #stopTimer: (() => void) | null = null;

  constructor(perMinute: number, clock: Clock) {
    this.#perMinute = perMinute;
    this.#clock = clock;
  }

  /** Reserves `tokens` as soon as they are free; rejects with the signal's reason if it aborts first. */
  async take(tokens: number, signal: AbortSignal): Promise<Reservation> {
    signal.throwIfAborted();
    const taken = await new Promise<Taken>((resolve, reject) => {
      const leave = () => {
        this.#line.splice(this.#line.indexOf(waiting), 1);
        reject(signal.reason);
        this.#serve();
      };
      const waiting: Waiting = {
        tokens,
        go(taken) {
          signal.removeEventListener('abort', leave);
          resolve(taken);
        },
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#line.push(waiting);
      this.#serve();
    });
    return {
      correct: (used) => {
        taken.tokens = used;
        this.#serve();
      },
    };
  }

  /** Lets the calls through that may go, and sets a timer for the next one. */
  #serve(): void {
    this.#stopTimer?.();
    this.#stopTimer = null;
    const now = workedMs(this.#clock);
    this.#taken = this.#taken.filter(({ at, tokens }) => at > now - minuteMs && tokens > 0);
    for (let first = this.#line[0]; first; first = this.#line[0]) {
      const at = this.#freeAt(first.tokens);
      if (at > now) {
        this.#stopTimer = this.#clock.wakeAt(this.#clock.now() + at - now, () => this.#serve());
        return;
      }
      this.#line.shift();
      const taken = { at: now, tokens: first.tokens };
      this.#taken.push(taken);
      first.go(taken);
    }
  }

  /** When enough reservations are a minute old (all of them for a call larger than the rate); 0 when there is room. */
  #freeAt(tokens: number): number {
    let sum = this.#taken.reduce((all, { tokens }) => all + tokens, 0);
    let at = 0;
    for (const old of this.#taken) {
      if (sum + tokens <= this.#perMinute) return at;
      sum -= old.tokens;
      at = old.at + minuteMs;
    }
    return at;
  }
}
