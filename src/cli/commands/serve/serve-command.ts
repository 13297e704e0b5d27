import { randomBytes } from 'node:crypto';
import { createGateway, type Gateway } from '../../../gateway/gateway.ts';
import { defaultLimits } from '../../../gateway/options.ts';
import type { Detent } from '../../../index.ts';
import { scopes } from '../../../protocol/access.ts';
import { defaultTenant } from '../../../protocol/tenant.ts';
import type { ConfigOrigins } from '../../../runtime/config/origins.ts';
import { withDetent } from '../../drive/with-detent.ts';
import { type Flags, text, usage } from '../../settings/flags.ts';
import { type CliOptions, loadOptions } from '../../settings/load-options.ts';
import { addressOf } from '../../settings/run-options.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { runningSchedule } from '../cron/running-schedule.ts';
import { closeServer, httpServer, listen } from './http-server.ts';
import { type ServePlace, servePlace } from './serve-place.ts';

/** `detent serve`. */
export async function serveCommand(_: readonly string[], flags: Flags, io: Io): Promise<number> {
  const place = servePlace(flags);
  const options = withModel(await loadOptions(flags, io), flags, io);
  return withDetent(options, (detent) => serve(detent, place, { flags, options, io }));
}

interface Serving {
  flags: Flags;
  options: CliOptions;
  io: Io;
}

async function serve(detent: Detent, place: ServePlace, { flags, options, io }: Serving): Promise<number> {
  const asked = askedToStop(io);
  // Only programs get it. It dies with the process, so no database has it.
  const token = flags.json ? randomBytes(32).toString('base64url') : null;
  const caller = { tenantId: defaultTenant, userId: null, scopes };
  const schedule = runningSchedule(detent, options, flags.json === true, io);
  const gateway = createGateway(detent, {
    scheduler: schedule.scheduler,
    hosts: place.hosts,
    origins: place.origins,
    own: token === null ? [] : [{ token, caller }],
    onError: io.complain,
  });
  const server = httpServer(gateway);
  try {
    const port = await listen(server, place);
    // Once it listens, it may fail to accept a connection, for want of file descriptors.
    server.on('error', io.complain);
    if (flags['no-schedule'] === true) await detent.runs.resume();
    else await schedule.scheduler.start();
    const url = `http://${place.shownHost}:${port}`;
    const loginUrl = `${url}/#login=${gateway.loginCode()}`;
    if (token !== null) io.json({ url, token, loginUrl, pid: process.pid });
    else announce({ url, loginUrl, place, workspace: options.workspace }, io);
    // Behind the line with the address.
    schedule.print();
    await asked.once;
    io.say(
      `detent: stopping: new runs are refused, and runs under way get ${defaultLimits.drainMs / 1_000} s; again to leave at once`,
    );
    return exit.ok;
  } finally {
    await Promise.all([schedule.stop(), stop(gateway, server)]);
    asked.stop();
  }
}

async function stop(gateway: Gateway, server: ReturnType<typeof httpServer>): Promise<void> {
  // Until it has closed, the server answers: that it is about to stop.
  await gateway.close();
  await closeServer(server);
}

function announce(
  {
    url,
    loginUrl,
    place,
    workspace,
  }: { url: string; loginUrl: string; place: ServePlace; workspace: string },
  io: Io,
): void {
  io.out(`Detent serves ${workspace} at ${url}\n`);
  io.out(`log a browser in, once and within five minutes: ${loginUrl}\n`);
  io.say(`make another link with: detent token login --url ${url}`);
  io.say('make tokens for clients with: detent token create --scope read,write --expires 30d');
  if (place.isPublic)
    io.say(
      'detent: other machines can connect, and nothing is encrypted here: put a proxy with TLS in front of it',
    );
  io.say('Ctrl-C stops it; unfinished runs are resumed by the next start');
}

/** Resolves with the first SIGTERM or Ctrl-C. The second one leaves at once. */
export function askedToStop(io: Io): { once: Promise<void>; stop(): void } {
  let isAsked = false;
  let resolve = () => {};
  const once = new Promise<void>((done) => {
    resolve = done;
  });
  const asked = () => {
    if (isAsked) io.leave(exit.cancelled);
    isAsked = true;
    resolve();
  };
  const stops = [io.onInterrupt(asked), io.onTerminate(asked)];
  return { once, stop: () => stops.forEach((end) => void end()) };
}

/** The options with the model that the command line, or DETENT_MODEL, names for runs that name none. */
export function withModel(options: CliOptions, flags: Flags, io: Io): CliOptions {
  const address = addressOf(flags);
  const model = text(flags, 'model') ?? (io.env.DETENT_MODEL || undefined);
  if (model === undefined && Object.keys(address).length === 0) return options;
  const named: ConfigOrigins['flags'] =
    text(flags, 'model') === undefined ? {} : { model: { flag: 'model', value: model } };
  if (Object.keys(address).length === 0 && model !== undefined)
    return { ...options, model, ...setByFlags(options, named) };
  if (model === undefined || !model.includes('/'))
    throw usage(
      'an address (--base-url, --api-key-env, --api) needs the name of a model there: --model any/NAME',
    );
  const [provider = ''] = model.split('/', 1);
  const known = options.models?.[provider] ?? {};
  const models = { ...options.models, [provider]: { ...known, ...address } };
  const addressed = Object.entries(address).map(([field, value]) => [
    `models.${provider}.${field}`,
    { flag: field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`), value },
  ]);
  return {
    ...options,
    model,
    models,
    ...setByFlags(options, { ...named, ...Object.fromEntries(addressed) }),
  };
}

function setByFlags({ origins }: CliOptions, flags: ConfigOrigins['flags']): Pick<CliOptions, 'origins'> {
  return origins ? { origins: { ...origins, flags: { ...origins.flags, ...flags } } } : {};
}
