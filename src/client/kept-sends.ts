import type { Connected } from '../protocol/frames.ts';
import type { ClientStorage } from './host.ts';

/** A start of a run, as it is sent. */
export interface KeptSend {
  prompt: string;
  idempotencyKey: string;
  [field: string]: unknown;
}

/** What lies in the storage: whose sends these are, once that is known, and the sends. */
interface Kept {
  who: string | null;
  sends: KeptSend[];
}

/** Starts of runs that have no response yet, in a storage that survives the program. */
export class KeptSends {
  readonly #storage: ClientStorage | undefined;
  readonly #key: string;
  readonly #report: (error: unknown) => void;
  #sends = new Map<string, KeptSend>();
  #who: string | null = null;
  #writing: Promise<unknown> = Promise.resolve();

  constructor(storage: ClientStorage | undefined, url: string, report: (error: unknown) => void) {
    this.#storage = storage;
    this.#key = `detent.sends ${url}`;
    this.#report = report;
  }

  /** Those of an earlier life of the program, in the order in which they were made. Never rejects. */
  async load(): Promise<KeptSend[]> {
    try {
      const text = await this.#storage?.get(this.#key);
      const { who, sends } = JSON.parse(text || '{"sends":[]}') as Kept;
      const found = sends.filter(
        ({ prompt, idempotencyKey }) => typeof prompt === 'string' && typeof idempotencyKey === 'string',
      );
      this.#who = who ?? null;
      // Those that were made meanwhile are newer.
      this.#sends = new Map([...found.map((send) => [send.idempotencyKey, send] as const), ...this.#sends]);
      return found;
    } catch (error) {
      this.#report(error);
      return [];
    }
  }

  /** Says whose client this is. False if the sends in the storage are another user's. */
  identify({ tenantId, userId }: Connected): boolean {
    const who = JSON.stringify([tenantId, userId]);
    const isSame = this.#who === null || this.#who === who;
    this.#who = who;
    if (this.#sends.size > 0) this.#write();
    return isSame;
  }

  add(send: KeptSend): void {
    this.#sends.set(send.idempotencyKey, send);
    this.#write();
  }

  remove(idempotencyKey: string): void {
    if (this.#sends.delete(idempotencyKey)) this.#write();
  }

  #write(): void {
    const storage = this.#storage;
    if (!storage) return;
    const kept: Kept = { who: this.#who, sends: [...this.#sends.values()] };
    this.#writing = this.#writing
      .then(() => storage.set(this.#key, JSON.stringify(kept)))
      .catch(this.#report);
  }
}
