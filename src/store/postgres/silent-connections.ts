import type pg from 'pg';
import { codeOf, isGone } from './errors.ts';
import { processOf, wireOf } from './wire.ts';

const tooManyConnections = '53300';

/** Whether the server is at work for one of its processes. One that reads or writes waits for this side, which has said and heard nothing. */
const isAtWork = `
  select pg_backend_pid() as asker, exists (
    select from pg_stat_activity where pid = $1 and state not like 'idle%'
      and coalesce(wait_event, '') not in ('ClientRead', 'ClientWrite')
  ) as "isAtWork"`;

interface Heard {
  /** How many watch it. */
  asks: number;
  bytes: number;
  at: number;
  isExamined: boolean;
}

/**
 * Breaks connections whose answers never come: a question or its answer was lost, and TCP notices that after a quarter of an hour, or never behind a
 * proxy. A statement may take hours for good reasons, so no time-out decides: another connection asks the server whether it is at work on it.
 */
export class SilentConnections {
  readonly #newClient: () => pg.Client;
  readonly #silentMs: number;
  readonly #heard = new Map<pg.ClientBase, Heard>();
  #timer: NodeJS.Timeout | null = null;

  /** @param silentMs how long one with work under way says nothing until the server is asked about it */
  constructor(newClient: () => pg.Client, silentMs: number) {
    this.#newClient = newClient;
    this.#silentMs = silentMs;
  }

  /** Watches a connection until it is disposed of. */
  watch(client: pg.ClientBase): Disposable {
    const bytes = wireOf(client).bytesRead;
    const heard = this.#heard.get(client) ?? { asks: 0, bytes, at: performance.now(), isExamined: false };
    heard.asks++;
    this.#heard.set(client, heard);
    this.#timer ??= setInterval(() => this.#look(), this.#silentMs / 4).unref();
    return { [Symbol.dispose]: () => void (--heard.asks === 0 && this.#heard.delete(client)) };
  }

  /** Watches a connection whenever it is asked something. */
  watchQuestions(client: pg.ClientBase): void {
    client.query = new Proxy(client.query, {
      apply: (query, _, values) => {
        const watched = this.watch(client);
        const asked = Reflect.apply(query, client, values);
        const end = () => watched[Symbol.dispose]();
        Promise.resolve(asked).then(end, end);
        return asked;
      },
    });
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer);
  }

  #look(): void {
    const now = performance.now();
    for (const [client, heard] of this.#heard) {
      const { bytesRead } = wireOf(client);
      if (bytesRead !== heard.bytes) Object.assign(heard, { bytes: bytesRead, at: now });
      else if (now - heard.at >= this.#silentMs && !heard.isExamined) void this.#examine(client, heard);
    }
  }

  async #examine(client: pg.ClientBase, heard: Heard): Promise<void> {
    heard.isExamined = true;
    const isLost = await this.#isLost(processOf(client));
    const wire = wireOf(client);
    // What has come meanwhile had only waited for its turn in this process.
    if (isLost && this.#heard.get(client) === heard && wire.bytesRead === heard.bytes) wire.destroy();
    Object.assign(heard, { at: performance.now(), isExamined: false });
  }

  async #isLost(pid: unknown): Promise<boolean> {
    const client = this.#newClient();
    client.on('error', () => {});
    try {
      await client.connect();
      const { rows } = await client.query<{ asker: number; isAtWork: boolean }>(isAtWork, [pid]);
      const [found] = rows;
      // A pooler in between hides the processes of the server.
      return found !== undefined && found.asker === processOf(client) && !found.isAtWork;
    } catch (error) {
      return isGone(error) && codeOf(error) !== tooManyConnections;
    } finally {
      wireOf(client).destroy();
    }
  }
}
