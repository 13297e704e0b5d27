import { connect, createServer, type Server, type Socket } from 'node:net';

/** What went over the connections to a server. */
export interface Counts {
  /** How often an answer was waited for: the server spoke after the client. */
  roundTrips: number;
  statements: number;
  /** Both ways. */
  bytes: number;
}

/** Stands between a program and its PostgreSQL server, and counts. */
export class Wire {
  readonly counts: Counts = { roundTrips: 0, statements: 0, bytes: 0 };
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  constructor(url: string) {
    const { hostname, port } = new URL(url);
    this.#server = createServer((client) => {
      const server = connect({ host: hostname, port: Number(port) });
      const statements = new Statements();
      let isAsked = false;
      const end = () => {
        client.destroy();
        server.destroy();
      };
      for (const socket of [client, server]) {
        this.#sockets.add(socket.on('error', end).on('close', end));
        socket.once('close', () => this.#sockets.delete(socket));
      }
      client.on('data', (bytes) => {
        isAsked = true;
        this.counts.bytes += bytes.length;
        this.counts.statements += statements.in(bytes);
        server.write(bytes);
      });
      server.on('data', (bytes) => {
        if (isAsked) this.counts.roundTrips++;
        isAsked = false;
        this.counts.bytes += bytes.length;
        client.write(bytes);
      });
    });
  }

  /** The address that the program is given. */
  listen(url: string): Promise<string> {
    return new Promise((resolve) => {
      this.#server.listen(0, '127.0.0.1', () => {
        const address = this.#server.address();
        const here = new URL(url);
        here.port = String(typeof address === 'object' ? address?.port : 0);
        resolve(here.href);
      });
    });
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }
}

/**
 * Counts the statements in what a client sends: messages of the types Bind and Query.
 * https://www.postgresql.org/docs/current/protocol-message-formats.html
 */
class Statements {
  #rest = Buffer.alloc(0);
  #isBegun = false;

  in(bytes: Buffer): number {
    let at = Buffer.concat([this.#rest, bytes]);
    let statements = 0;
    for (;;) {
      // The first message of a connection has no type.
      const head = this.#isBegun ? 1 : 0;
      if (at.length < head + 4) break;
      const length = head + at.readUInt32BE(head);
      if (at.length < length) break;
      if (this.#isBegun && (at[0] === 0x42 || at[0] === 0x51)) statements++;
      this.#isBegun = true;
      at = at.subarray(length);
    }
    this.#rest = Buffer.from(at);
    return statements;
  }
}
