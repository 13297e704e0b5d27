import { DetentError } from '../../protocol/error.ts';

/** Bytes that one request has under way. */
export interface Bytes {
  /** Counts more bytes without checking the limits, because they are in memory already. */
  add(bytes: number): void;
  /** Counts more, if there is room. @throws DetentError `TOO_MANY_BYTES`, `GATEWAY_FULL`. */
  take(bytes: number): void;
  /** Ends the count; a second call does nothing. */
  release(): void;
}

/** The bytes of bodies that are being read and of answers that are being written: of each user, and in sum. */
export class BytesUnderWay {
  readonly #maxOfUser: number;
  readonly #maxInSum: number;
  readonly #of = new Map<string, number>();
  #sum = 0;

  constructor(maxOfUser: number, maxInSum: number) {
    this.#maxOfUser = maxOfUser;
    this.#maxInSum = maxInSum;
  }

  get sum(): number {
    return this.#sum;
  }

  /** @throws DetentError `TOO_MANY_BYTES`, `GATEWAY_FULL` when `more` bytes have no room. */
  check(holder: string, more = 1): void {
    if ((this.#of.get(holder) ?? 0) + more > this.#maxOfUser)
      throw new DetentError(
        'TOO_MANY_BYTES',
        'too many requests of this user are in progress: read the requested answers, and finish the uploads',
        { retryable: true, details: { max: this.#maxOfUser } },
      );
    if (this.#sum + more > this.#maxInSum)
      throw new DetentError(
        'GATEWAY_FULL',
        'too many requests are in progress here: try again in some seconds',
        {
          retryable: true,
        },
      );
  }

  begin(holder: string): Bytes {
    let count = 0;
    const add = (bytes: number) => {
      count += bytes;
      this.#sum += bytes;
      const left = (this.#of.get(holder) ?? 0) + bytes;
      if (left === 0) this.#of.delete(holder);
      else this.#of.set(holder, left);
    };
    return {
      add,
      take: (bytes) => {
        this.check(holder, bytes);
        add(bytes);
      },
      release: () => add(-count),
    };
  }
}
