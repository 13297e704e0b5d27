import type { Clock } from '../../engine/clock.ts';

/** Tokens that a call has taken from the rate. */
export interface Reservation {
  /** Says how many it really were; the place of the call in time stays. */
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
 * Lets calls through so that those that began within any one minute have no more than `perMinute` tokens together.
 *
 * Strictly in order of arrival: a large call is not overtaken by small ones. A call larger than the whole rate goes when
 * no other call began within the last minute.
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

  /** Resolves when `tokens` are free and takes them; rejects with the signal's reason when it aborts first. */
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

  /** Lets through who may go, and wakes when the next one may. */
  #serve(): void {
    this.#stopTimer?.();
    this.#stopTimer = null;
    const now = this.#clock.now();
    this.#taken = this.#taken.filter(({ at, tokens }) => at > now - minuteMs && tokens > 0);
    for (let first = this.#line[0]; first; first = this.#line[0]) {
      const at = this.#freeAt(first.tokens);
      if (at > now) {
        this.#stopTimer = this.#clock.wakeAt(at, () => this.#serve());
        return;
      }
      this.#line.shift();
      const taken = { at: now, tokens: first.tokens };
      this.#taken.push(taken);
      first.go(taken);
    }
  }

  /** When enough of what was taken is a minute old, all of it for a call larger than the rate; 0 when there is room. */
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
