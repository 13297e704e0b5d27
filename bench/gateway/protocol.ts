/** What the processes of this benchmark say to each other. */

/** How a stream of pieces goes: so many pieces, so far apart; 0 is as fast as it can. */
export interface Pace {
  pieces: number;
  everyMs: number;
}

export interface ServerTask {
  kind: 'detent' | 'floor';
  streams: number;
  pace: Pace;
  /** Of the database; unused by the floor. */
  folder: string;
}

export interface ServerUp {
  port: number;
  token: string;
  /** What a client names to watch a stream. */
  streams: string[];
}

/** What a server used, from `go` until all streams had ended. */
export interface ServerUsed {
  cpuMs: number;
  rssMb: number;
}

export interface ClientsTask extends ServerUp {
  clients: number;
  /** Further sockets that are opened, watch, and never read. */
  deaf: number;
  /** Pieces that each client gets. */
  pieces: number;
}

export interface ClientsSaw {
  deliveries: number;
  /** From the first delivery to the last, in milliseconds. */
  spanMs: number;
  /** From the making of a piece to its arrival at a client, in milliseconds. */
  p50: number;
  p99: number;
}

/** Milliseconds since the epoch with microseconds, the same in all processes. */
export const preciseNow = () => performance.timeOrigin + performance.now();

/** The text of a piece: when it was made, and some words. */
export const pieceText = () => `@${preciseNow().toFixed(3)}@ and some words that follow `;

export const pause = (ms: number) =>
  ms === 0 ? new Promise<void>(setImmediate) : new Promise<void>((resolve) => setTimeout(resolve, ms));
