import { type Clock, workedMs } from '../../engine/clock.ts';
import { defaults } from '../../protocol/enums.ts';

export interface BreakerConfig {
  /** Failures in a row that open the circuit; 0 never opens it. */
  failures: number;
  /** How long the circuit stays open before it lets one trial call through. */
  openMs: number;
}

export const defaultBreaker: BreakerConfig = defaults.router.breaker;

/** What the result of a call says about the provider's health; `unknown` changes nothing. */
export type Health = 'healthy' | 'unhealthy' | 'unknown';

/** A call that the circuit let through. */
export interface Pass {
  /** Reports how the call ended; only the first report counts. */
  settle(health: Health): void;
}

/** Older failures do not count as failures in a row. Long, because a call may take minutes to time out. */
const windowMs = 10 * 60_000;
/** How long other calls wait while a trial call runs. */
const trialMs = 5_000;
/** Maximum circuits in memory. Beyond it the oldest is evicted, which closes it. */
const maxCircuits = 1_000;

interface Circuit {
  /** Times of the failures since the last success. */
  failures: number[];
  /** Set while the circuit is open or half open: until then no call goes through, after it one trial call. */
  openUntil: number | null;
  trial: object | null;
  /** When the circuit closed: calls that began earlier no longer count. */
  closedAt: number;
}

/**
 * Circuit breakers, one for each key: closed until `failures` calls in a row fail, then open for `openMs`, then half open
 * for one call at a time, whose success closes it and whose failure opens it anew.
 *
 * A key without failures takes no memory. Counts within one process.
 *
 * @see https://martinfowler.com/bliki/CircuitBreaker.html
 */
export class Breakers {
  readonly #config: BreakerConfig;
  readonly #clock: Clock;
  readonly #circuits = new Map<string, Circuit>();

  constructor(config: BreakerConfig, clock: Clock) {
    this.#config = config;
    this.#clock = clock;
  }

  /** Milliseconds until a call may be let through; 0 when one may now. */
  waitMs(key: string): number {
    const circuit = this.#circuits.get(key);
    if (!circuit || circuit.openUntil === null) return 0;
    const leftMs = circuit.openUntil - workedMs(this.#clock);
    if (leftMs > 0) return leftMs;
    return circuit.trial ? Math.min(trialMs, this.#config.openMs) : 0;
  }

  /** Lets a call through; null when it may not go. */
  enter(key: string): Pass | null {
    if (this.waitMs(key) > 0) return null;
    const begunAt = workedMs(this.#clock);
    const circuit = this.#circuits.get(key);
    let isSettled = false;
    const pass: Pass = {
      settle: (health) => {
        if (isSettled) return;
        isSettled = true;
        this.#settle(key, pass, begunAt, health);
      },
    };
    if (circuit && circuit.openUntil !== null) circuit.trial = pass;
    return pass;
  }

  #settle(key: string, pass: Pass, begunAt: number, health: Health): void {
    const circuit = this.#circuits.get(key);
    const now = workedMs(this.#clock);
    if (circuit?.trial === pass) {
      circuit.trial = null;
      if (health === 'unhealthy') circuit.openUntil = now + this.#config.openMs;
      if (health === 'healthy') Object.assign(circuit, { failures: [], openUntil: null, closedAt: now });
      return;
    }
    // Ignore calls that began before the circuit opened.
    if (circuit && circuit.openUntil !== null) return;
    if (health === 'unhealthy') this.#count(key, begunAt, now);
    if (health !== 'healthy' || !circuit) return;
    circuit.failures = [];
    if (circuit.closedAt < now - windowMs) this.#circuits.delete(key);
  }

  #count(key: string, begunAt: number, now: number): void {
    const { failures: most, openMs } = this.#config;
    if (most === 0) return;
    const circuit = this.#circuits.get(key) ?? { failures: [], openUntil: null, trial: null, closedAt: -1 };
    if (begunAt < circuit.closedAt) return;
    circuit.failures = [...circuit.failures.filter((at) => at > now - windowMs), now];
    if (circuit.failures.length >= most) circuit.openUntil = now + openMs;
    this.#circuits.set(key, circuit);
    const [oldest] = this.#circuits.keys();
    if (this.#circuits.size > maxCircuits && oldest !== undefined) this.#circuits.delete(oldest);
  }
}
