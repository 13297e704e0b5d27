import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** How a server tells a client the number of its process. */
const processIs = Buffer.from([0x4b, 0, 0, 0, 0x0c]);

/** Numbers the processes of a server anew, as a pooler does. */
function renumbered(data: Buffer): Buffer {
  const at = data.indexOf(processIs);
  if (at >= 0) data.writeInt32BE(renumbers++, at + processIs.length);
  return data;
}

let renumbers = 1;

interface WireOptions {
  /** Whether it numbers the processes of the server anew. */
  isPooler?: boolean;
  /** Becomes deaf when a client first says this. */
  deafensAt?: string | undefined;
  /** Takes no connection any more when a client says this, and ends those that there are, as a server that dies. */
  diesAt?: string;
}

interface Wired {
  url: string;
  deafen(): void;
  /** Ends all connections. */
  cut(): void;
}

/**
 * The address of a database behind a wire that can become deaf: what its server says then, on connections that are there, is lost for good.
 */
export async function wireTo(url: string, { isPooler = false, ...at }: WireOptions = {}): Promise<Wired> {
  const open = new Map<Socket, { isDeaf: boolean }>();
  const deafen = () => {
    for (const ear of open.values()) ear.isDeaf = true;
  };
  const { hostname, port } = new URL(url);
  const listener = createServer((near) => {
    const far = connect(Number(port), hostname);
    const ear = { isDeaf: false };
    open.set(near, ear);
    const end = () => {
      open.delete(near);
      near.destroy();
      far.destroy();
    };
    near.on('data', (data) => {
      const says = (text: string | undefined) => text !== undefined && data.includes(text);
      if (says(at.diesAt)) return die();
      if (says(at.deafensAt)) {
        at.deafensAt = undefined;
        deafen();
      }
      far.write(data);
    });
    far.on('data', (data) => !ear.isDeaf && near.write(isPooler ? renumbered(data) : data));
    near.on('error', end).on('close', end);
    far.on('error', () => ear.isDeaf || end()).on('close', () => ear.isDeaf || end());
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const cut = () => {
    for (const near of open.keys()) near.destroy();
  };
  const die = () => {
    cut();
    listener.close();
  };
  onTestFinished(die);
  const here = new URL(url);
  here.port = `${(listener.address() as { port: number }).port}`;
  return {
    url: here.href,
    deafen,
    cut,
  };
}
