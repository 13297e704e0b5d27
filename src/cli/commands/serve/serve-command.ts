import { randomBytes } from 'node:crypto';
import { defaultLimits, isPageBuilt } from '../../../gateway/local.ts';
import type { Detent } from '../../../index.ts';
import { defaultTenant, scopes } from '../../../protocol/access.ts';
import { refuseWithoutServer } from '../../../runtime/config.ts';
import { withDetent } from '../../drive/with-detent.ts';
import type { Flags } from '../../settings/flags.ts';
import { type CliOptions, demoPieceDelayMs, loadOptions } from '../../settings/load-options.ts';
import { withModel } from '../../settings/with-model.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { runningSchedule } from '../cron/running-schedule.ts';
import { type OpenGateway, openGateway } from './open-gateway.ts';
import { type ServePlace, servePlace } from './serve-place.ts';

/** `detent serve`. */
export async function serveCommand(_: readonly string[], flags: Flags, io: Io): Promise<number> {
  io.dropUnwritten();
  const place = servePlace(flags);
  const loaded = withModel(await loadOptions(flags, io), flags, io);
  // Whoever serves a page has people who watch, with or without a terminal.
  const { role } = place;
  if (role !== 'all') refuseWithoutServer(loaded, `--role ${role}`);
  const options = {
    ...loaded,
    ...(flags.json !== true && { demoPieceDelayMs }),
    ...(role === 'gateway' && { drivesRuns: false }),
    dispatcher: 'pg-boss' as const,
  };
  return withDetent(options, (detent) => serve(detent, place, { flags, options, io }));
}

const stopping: Readonly<Record<ServePlace['role'], string>> = {
  all: `no new runs, and current runs get ${defaultLimits.drainMs / 1_000} s to finish`,
  gateway: 'its clients connect to another gateway',
  worker: 'other workers continue its runs',
};

interface Serving {
  flags: Flags;
  options: CliOptions;
  io: Io;
}

async function serve(detent: Detent, place: ServePlace, { flags, options, io }: Serving): Promise<number> {
  const asked = askedToStop(io);
  // Only programs get it. It dies with the process, so no database has it.
  const { role } = place;
  const token = flags.json && role !== 'worker' ? randomBytes(32).toString('base64url') : null;
  const caller = { tenantId: defaultTenant, userId: null, name: 'detent serve --json', scopes };
  const schedule = runningSchedule(detent, options, flags.json === true, io);
  let gateway: OpenGateway | null = null;
  try {
    gateway = await openGateway(detent, place, {
      options,
      io,
      gateway: { scheduler: schedule.scheduler, own: token === null ? [] : [{ token, caller }] },
    });
    if (role !== 'gateway' && flags['no-schedule'] !== true) await schedule.scheduler.start();
    else await detent.runs.resume();
    // A claim or a deletion of a user that an earlier process left.
    await detent.users.finish();
    const { url } = gateway;
    if (role === 'worker') announceWorker(url, flags, options, io);
    else {
      const loginUrl = gateway.loginUrl();
      if (token !== null) io.json({ url, token, loginUrl, pid: process.pid });
      else announce({ url, loginUrl, place, workspace: options.workspace }, io);
    }
    // Behind the line with the address.
    schedule.print();
    await asked.once;
    io.say(`detent: stopping: ${stopping[role]}; again to exit at once`);
    return exit.ok;
  } finally {
    await Promise.all([role === 'worker' ? schedule.scheduler.close() : schedule.stop(), gateway?.stop()]);
    asked.stop();
  }
}

function announceWorker(url: string, flags: Flags, { workspace }: CliOptions, io: Io): void {
  if (flags.json === true) {
    io.json({ url, pid: process.pid });
    return;
  }
  io.out(`Detent drives runs in ${workspace}; ${url}/readyz says whether it is ready\n`);
  io.say('Ctrl-C stops it; other workers continue its runs');
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
  io.out(`open it in a browser, once and within five minutes: ${loginUrl}\n`);
  if (!isPageBuilt()) io.say('detent: its web page is not built: "npm start" in the clone builds it');
  io.say(`make another link with: detent token login --url ${url}`);
  io.say('chat on the terminal beside it with: detent chat');
  io.say('make tokens for clients with: detent token create --scope read,write --expires 30d');
  if (place.isPublic)
    io.say(
      'detent: other machines can connect, and the connection is not encrypted: put a proxy with TLS in front of it',
    );
  io.say('Ctrl-C stops it; the next start resumes unfinished runs');
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
