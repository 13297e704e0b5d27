import { DetentError } from '../../protocol/error.ts';

/** Counts what each user has at once, up to a maximum. A token that is bound to no user counts for itself. */
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

/** A run that was asked for. */
interface AskedRun {
  /** Resolves with its id. */
  readonly started: Promise<string>;
  readonly result: Promise<unknown>;
}

/** The place of a run that this gateway is about to start or continue. */
interface RunPlace {
  /** The run keeps the place until `result` settles. A run has one place, however often it was requested. */
  keep(runId: string, result: Promise<unknown>): void;
  /** Returns the place, unless a run has it. */
  release(): void;
}

/** The run that the key of a request names. */
export interface NamedRun {
  runId: string;
  /** Whether it was made before. */
  isThere(): Promise<boolean>;
}

/** The runs that one holder starts or continues. */
export interface OwnRuns {
  /** @throws DetentError `TOO_MANY_RUNS`. */
  take(): RunPlace;
  /**
   * Makes a run, which has a place until it rests. One that a key names needs no place if it is there: of requests that come at
   * once the first makes it, and the others wait for that.
   *
   * @returns its id
   * @throws DetentError `TOO_MANY_RUNS`, and what `make` throws.
   */
  make(make: () => AskedRun, named?: NamedRun): Promise<string>;
}

/** The runs that clients start or continue here, until they rest. */
export class RunPlaces {
  readonly #places: Places;
  /** The ids of runs that have a place. */
  readonly #runs = new Set<string>();
  /** Runs with a key that are being made, with whether that succeeded. */
  readonly #beingMade = new Map<string, Promise<boolean>>();

  constructor(max: number) {
    this.#places = new Places(max, {
      code: 'TOO_MANY_RUNS',
      message: 'too many runs of this user are running: start it when one of them has ended',
    });
  }

  of(holder: string, max?: number): OwnRuns {
    const take = () => this.#take(holder, max);
    return {
      take,
      make: (make, named) => (named ? this.#makeOnce(take, make, named) : makeAt(take(), make)),
    };
  }

  #take(holder: string, max?: number): RunPlace {
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

  /** A repeated request does not make the run again; it is compared with the request that made the run. */
  async #makeOnce(take: () => RunPlace, make: () => AskedRun, { runId, isThere }: NamedRun): Promise<string> {
    for (let made = this.#beingMade.get(runId); made; made = this.#beingMade.get(runId))
      if (await made) return make().started;
    const made = Promise.withResolvers<boolean>();
    this.#beingMade.set(runId, made.promise);
    let isMade = false;
    try {
      isMade = await isThere();
      const started = await (isMade ? make().started : makeAt(take(), make));
      isMade = true;
      return started;
    } finally {
      this.#beingMade.delete(runId);
      made.resolve(isMade);
    }
  }
}

async function makeAt(place: RunPlace, make: () => AskedRun): Promise<string> {
  try {
    const run = make();
    const runId = await run.started;
    place.keep(runId, run.result);
    return runId;
  } catch (error) {
    place.release();
    throw error;
  }
}
