import { randomBytes } from 'node:crypto';
import { createGateway, type ServeOptions, type TrustSource } from '../../../gateway/gateway.ts';
import type { Detent } from '../../../index.ts';
import { revokeTrust, TrustRecords, trustedFolders } from '../../../trust/agreements.ts';
import type { CliOptions } from '../../settings/load-options.ts';
import type { Io } from '../../terminal/io.ts';
import { askForCode, keepRecord } from './gateway-record.ts';
import { closeServer, httpServer, listen } from './http-server.ts';
import type { ServePlace } from './serve-place.ts';

/** A gateway that listens, with the web page. */
export interface OpenGateway {
  url: string;
  /** A link that logs a browser in, once and within five minutes. */
  loginUrl(path?: string): string;
  /** Runs under way get a while to finish. */
  stop(): Promise<void>;
}

interface Opening {
  options: CliOptions;
  io: Io;
  /** Further options of the gateway. */
  gateway?: ServeOptions;
}

/**
 * Has a gateway listen for as long as the command runs; `detent inspect` finds it meanwhile.
 *
 * @throws DetentError `CANNOT_LISTEN`.
 */
export async function openGateway(
  detent: Detent,
  place: ServePlace,
  { options, io, gateway: further }: Opening,
): Promise<OpenGateway> {
  const key = randomBytes(32).toString('base64url');
  const gateway = createGateway(detent, {
    hosts: place.hosts,
    origins: place.origins,
    page: { program: io.program },
    loginKey: key,
    trust: trustOn(io),
    onError: io.complain,
    // The runs of a worker go on elsewhere at once.
    ...(place.role === 'worker' && { isHealthAlone: true, limits: { drainMs: 0 } }),
    ...further,
  });
  const server = httpServer(gateway);
  let forget = () => {};
  const stop = async () => {
    forget();
    // Until it has closed, the server answers: that it is about to stop.
    await gateway.close();
    await closeServer(server);
  };
  try {
    const port = await listen(server, place);
    // Once it listens, it may fail to accept a connection, for want of file descriptors.
    server.on('error', io.complain);
    if (place.port !== 0 && port !== place.port)
      io.say(`detent: port ${place.port} is taken, ${await byWhom(options)}: took port ${port}`);
    const url = `http://${place.shownHost}:${port}`;
    if (place.role !== 'worker') forget = recorded(options, { url, key });
    return { url, stop, loginUrl: (path = '/') => `${url}${path}#login=${gateway.loginCode()}` };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Without a folder of the person's own that can be written, `detent inspect` starts a gateway of its own. */
function recorded(...record: Parameters<typeof keepRecord>): () => void {
  try {
    return keepRecord(...record);
  } catch {
    return () => {};
  }
}

/** The trust of the person who serves. Read anew each time: other commands change it. */
function trustOn(io: Io): TrustSource {
  return {
    folders: () => trustedFolders(new TrustRecords(io.env)),
    revoke: (folder) => revokeTrust(new TrustRecords(io.env), folder),
  };
}

async function byWhom(options: CliOptions): Promise<string> {
  const found = await askForCode(options);
  return found
    ? `and a gateway of this database is open at ${found.url} already`
    : 'perhaps by a gateway of another folder';
}
