import type { Client, ClientBase } from 'pg';

const goodbyeMs = 1_000;

/** What a client speaks to its server by. */
interface Wire {
  /** What is corked goes out as one packet. */
  cork(): void;
  uncork(): void;
  /** Breaks the connection: all its questions fail at once. */
  destroy(): void;
  bytesRead: number;
}

export function wireOf(client: ClientBase): Wire {
  if ('connection' in client) return (client.connection as { stream: Wire }).stream;
  return { cork() {}, uncork() {}, destroy() {}, bytesRead: 0 };
}

/** The number of the server's process for a client, as the server said when it was connected. */
export function processOf(client: ClientBase): unknown {
  return 'processID' in client ? client.processID : null;
}

/** Ends a connection. A server that is out of reach would never answer that. */
export async function goodbye(client: Client): Promise<void> {
  const late = setTimeout(() => wireOf(client).destroy(), goodbyeMs);
  await client.end().catch(() => {});
  clearTimeout(late);
}
