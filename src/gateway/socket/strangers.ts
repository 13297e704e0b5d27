import type { Duplex } from 'node:stream';
import { closeCodes } from '../../protocol/frames.ts';
import { networkOf } from '../access/gate.ts';
import type { GatewayLimits } from '../gateway-options.ts';
import type { Connection } from './connection.ts';

/** Bytes that a client may send before it is let in: enough for a `connect` with the longest token. */
const maxBytes = 16 * 1024;

/** Counts what a stranger sends. Returns the function that stops it, for a client that has said who it is. */
export function weigh(socket: Duplex, tooMuch: () => void): () => void {
  let bytes = 0;
  const count = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxBytes) tooMuch();
  };
  socket.on('data', count);
  return () => socket.off('data', count);
}

/** Connections that have not said who they are, oldest first, with the networks of their addresses. */
export class Strangers {
  readonly #limits: GatewayLimits;
  readonly #networks = new Map<Connection, string>();

  constructor(limits: GatewayLimits) {
    this.#limits = limits;
  }

  add(connection: Connection, address: string): void {
    this.#networks.set(connection, networkOf(address));
  }

  /** It has said who it is, or has gone. */
  delete(connection: Connection): void {
    this.#networks.delete(connection);
  }

  /**
   * Connections that never identify themselves must not keep others out: drops the oldest one of the address with the
   * most of them.
   */
  makeRoom(address: string): void {
    const { maxStrangers, maxStrangersPerAddress } = this.#limits;
    const counts = new Map<string, number>();
    for (const network of this.#networks.values()) counts.set(network, (counts.get(network) ?? 0) + 1);
    const own = networkOf(address);
    const isFullThere = (counts.get(own) ?? 0) >= maxStrangersPerAddress;
    if (!isFullThere && this.#networks.size < maxStrangers) return;
    const most = Math.max(...counts.values());
    const crowded = isFullThere ? own : [...counts].find(([, count]) => count === most)?.[0];
    const oldest = [...this.#networks].find(([, network]) => network === crowded)?.[0];
    if (!oldest) return;
    this.#networks.delete(oldest);
    oldest.close(closeCodes.policy, 'too many connections have not said who they are');
  }
}
