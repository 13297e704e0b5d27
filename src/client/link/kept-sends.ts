import type { Connected } from '../../protocol/frames.ts';
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
export interface KeptSends {
  /** Those of an earlier life of the program, in the order in which they were made. Never rejects. */
  load(): Promise<KeptSend[]>;
  /** Says whose client this is. False if the sends in the storage are another user's. */
  identify(connected: Connected): boolean;
  add(send: KeptSend): void;
  remove(idempotencyKey: string): void;
}

export function keptSends(
  storage: ClientStorage | undefined,
  url: string,
  report: (error: unknown) => void,
): KeptSends {
  const key = `detent.sends ${url}`;
  let sends = new Map<string, KeptSend>();
  let who: string | null = null;
  let writing: Promise<unknown> = Promise.resolve();

  function write(): void {
    const kept: Kept = { who, sends: [...sends.values()] };
    writing = writing.then(() => storage?.set(key, JSON.stringify(kept))).catch(report);
  }

  return {
    async load() {
      try {
        const kept = JSON.parse((await storage?.get(key)) || '{"sends":[]}') as Kept;
        const found = kept.sends.filter(
          ({ prompt, idempotencyKey }) => typeof prompt === 'string' && typeof idempotencyKey === 'string',
        );
        who = kept.who ?? null;
        // Those that were made meanwhile are newer.
        sends = new Map([...found.map((send) => [send.idempotencyKey, send] as const), ...sends]);
        return found;
      } catch (error) {
        report(error);
        return [];
      }
    },
    identify({ tenantId, userId }) {
      const known = who;
      who = JSON.stringify([tenantId, userId]);
      if (sends.size > 0) write();
      return known === null || known === who;
    },
    add(send) {
      sends.set(send.idempotencyKey, send);
      write();
    },
    remove(idempotencyKey) {
      if (sends.delete(idempotencyKey)) write();
    },
  };
}
