import { isPageBuilt } from '../../../gateway/local.ts';
import type { Detent } from '../../../index.ts';
import { withDetent } from '../../drive/with-detent.ts';
import { localPort } from '../../port/local-port.ts';
import { type Flags, text, usage } from '../../settings/flags.ts';
import { type CliOptions, loadOptions, requireDatabase } from '../../settings/load-options.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { findAgentRun } from '../runs/follow.ts';
import { askForCode } from '../serve/gateway-record.ts';
import { openGateway } from '../serve/open-gateway.ts';
import { askedToStop } from '../serve/serve-command.ts';
import { servePlace } from '../serve/serve-place.ts';
import { checkedUrl } from '../token.ts';
import { inspectAtStately } from './inspect-stately.ts';
import { openForPerson } from './open-browser.ts';

interface Inspection {
  detent: Detent;
  options: CliOptions;
  flags: Flags;
  io: Io;
  /** Null for the list of runs. */
  runId: string | null;
}

/** `detent inspect [RUN]`: the page of a gateway that runs, else of one that this command is. */
export async function inspectCommand(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  if (flags.open && flags.print) throw usage('give --open or --print, not both');
  if (flags.stately && flags.url !== undefined) throw usage('--stately needs no gateway: omit --url');
  if (flags.yes && !flags.stately) throw usage('--yes agrees to --stately, and is useless without it');
  const [named] = words;
  if (flags.stately && named === undefined)
    throw usage('--stately needs the id of a run: detent inspect RUN --stately');
  const given = text(flags, 'url');
  const url = given === undefined ? null : checkedUrl(given);
  const options = await loadOptions(flags, io);
  if (named !== undefined) requireDatabase(options, named);
  return withDetent(options, async (detent) => {
    if (flags.stately && named !== undefined)
      return inspectAtStately({ detent, flags, io, runId: await findAgentRun(localPort(detent), named) });
    const runId = named === undefined ? null : await detent.runs.find(named);
    const inspection = { detent, options, flags, io, runId };
    const running =
      url === null ? await askForCode(options) : { url, code: (await detent.tokens.createLogin()).code };
    if (!running) return inspectHere(inspection);
    show(inspection, running.url, `${running.url}${pathOf(inspection)}#login=${running.code}`);
    return exit.ok;
  });
}

/** Serves the page until it is stopped. It resumes nothing: who only looks changes nothing. */
async function inspectHere(inspection: Inspection): Promise<number> {
  const { detent, options, io } = inspection;
  const asked = askedToStop(io);
  const gateway = await openGateway(detent, servePlace({ 'any-port': true }), { options, io });
  try {
    show(inspection, gateway.url, gateway.loginUrl(pathOf(inspection)), process.pid);
    io.say('no "detent serve" of this workspace runs, so this command serves the page; Ctrl-C stops it');
    if (!isPageBuilt()) io.say('detent: its web page is not built: "npm start" in the clone builds it');
    await asked.once;
    return exit.ok;
  } finally {
    await gateway.stop();
    asked.stop();
  }
}

function show({ runId, flags, io }: Inspection, url: string, loginUrl: string, pid?: number): void {
  if (flags.json) io.json({ runId, url, loginUrl, ...(pid !== undefined && { pid }) });
  else io.out(`${loginUrl}\n`);
  openForPerson(loginUrl, flags, io);
}

function pathOf({ runId }: Inspection): string {
  return runId === null ? '/runs' : `/runs/${encodeURIComponent(runId)}`;
}
