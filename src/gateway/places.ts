import { DetentError } from '../protocol/error.ts';

/** What each user may have at once. A token that is bound to no user counts for itself. */
export class Places {
  readonly #max: number;
  readonly #refusal: { code: string; message: string };
  readonly #taken = new Map<string, number>();

  constructor(max: number, refusal: { code: string; message: string }) {
    this.#max = max;
    this.#refusal = refusal;
  }

  /**
   * @param max in place of the usual maximum.
   * @returns gives the place back; a second call does nothing
   * @throws DetentError with the code of the refusal when the holder has no place left.
   */
  take(holder: string, max = this.#max): () => void {
    const taken = this.#taken.get(holder) ?? 0;
    const { code, message } = this.#refusal;
    if (taken >= max) throw new DetentError(code, message, { retryable: true, details: { max } });
    this.#taken.set(holder, taken + 1);
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      const left = (this.#taken.get(holder) ?? 1) - 1;
      if (left === 0) this.#taken.delete(holder);
      else this.#taken.set(holder, left);
    };
  }
}

/** The place of a run that is about to go on in this gateway. */
export interface RunPlace {
  /** The run goes on until `result`, and has the place until then. A run has one place, however often it was asked for. */
  keep(runId: string, result: Promise<unknown>): void;
  /** Gives the place back, unless a run has it. */
  release(): void;
}

/** Runs that clients set going here, until they rest. */
export class RunPlaces {
  readonly #places: Places;
  /** Those that have a place. */
  readonly #runs = new Set<string>();

  constructor(max: number) {
    this.#places = new Places(max, {
      code: 'TOO_MANY_RUNS',
      message: 'too many runs of this user are at work: start it when one of them has ended',
    });
  }

  /** @throws DetentError `TOO_MANY_RUNS`. */
  take(holder: string, max?: number): RunPlace {
    const release = this.#places.take(holder, max);
    return {
      release,
      keep: (runId, result) => {
        const key = JSON.stringify([holder, runId]);
        if (this.#runs.has(key)) return release();
        this.#runs.add(key);
        const rests = () => {
          this.#runs.delete(key);
          release();
        };
        result.then(rests, rests);
      },
    };
  }
}
