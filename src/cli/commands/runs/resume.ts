import { withReasons } from '../../../gateway/local.ts';
import type { RunView } from '../../../index.ts';
import { DetentError } from '../../../protocol/error.ts';
import { type DriveOptions, driveRun, isLeftToPeople } from '../../drive/drive.ts';
import { isEnded, printIds } from '../../drive/report-end.ts';
import { withPort } from '../../drive/with-detent.ts';
import type { Port } from '../../port/port.ts';
import { type Flags, usage, word } from '../../settings/flags.ts';
import { type CliOptions, hasDatabase, loadOptions } from '../../settings/load-options.ts';
import { addressOf, outputOptions } from '../../settings/run-options.ts';
import { withModel } from '../../settings/with-model.ts';
import { exit, exitCodeOfError, exitCodeOfRun } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import type { OutputOptions } from '../../terminal/printer.ts';
import { onRun } from './follow.ts';
import { describeAdvice } from './history.ts';

/** `detent runs resume RUN | --all [--here]`. */
export async function resumeRuns(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const output = outputOptions(flags, io);
  if (flags.all ? words.length > 0 : words.length === 0)
    throw usage('"detent runs resume" takes a RUN or --all');
  const address = addressOf(flags);
  if (flags.all && Object.keys(address).length > 0)
    throw usage('an address (--base-url, --api-key-env, --api) goes with a RUN, not with --all');
  if (flags.all && flags.tenant !== undefined)
    throw usage('--all resumes the runs of all tenants: --tenant goes with a RUN');
  const loaded = await loadOptions(flags, io);
  const options = {
    // An address is that of the run.
    ...(Object.keys(address).length > 0 || loaded.server ? loaded : withModel(loaded, flags, io)),
    ...(flags.here === true && { movedDatabase: 'adopt' as const }),
  };
  const driving = { ...output, interactive: io.isAttended() };
  if (flags.all && options.server)
    throw usage('a gateway resumes all runs by itself: name a RUN instead of --all');
  if (flags.all)
    return hasDatabase(options) ? resumeAll(options, driving, io) : printRuns([], [], driving, io);
  const named = word(words, 0, 'RUN');
  return onRun(withPort, options, named, async (port, runId) => {
    const before = await port.show(runId);
    if (isEnded(before)) return showEnded(port, before, output, io);
    return resumeRun(port, before.runId, address, output, io);
  });
}

/** Resumes one run, and shows it until it ends or parks. @param since transitions from then on are shown as progress */
export async function resumeRun(
  port: Port,
  runId: string,
  address: ReturnType<typeof addressOf>,
  output: OutputOptions,
  io: Io,
  since = Date.now(),
): Promise<number> {
  const before = await port.show(runId);
  const driving = { ...output, interactive: io.isAttended(), since, before };
  const handle = port.attach(runId);
  await port.resume({ runId }, address);
  const view = await driveRun(port, handle, driving, io);
  printIds(view, output, io);
  return exitCodeOfRun(view);
}

/** Shows a run again of which nothing is left to resume, and says in the words of `why` how it ended. */
async function showEnded(port: Port, before: RunView, output: OutputOptions, io: Io): Promise<number> {
  const { runId, status } = before;
  const driving = { ...output, interactive: false, since: Date.now(), before, isEndTold: true };
  await driveRun(port, port.attach(runId), driving, io);
  const code = exitCodeOfRun(before);
  if (output.quiet && code === exit.ok) return code;
  const { summary, next } = await port.ask('run.why', { runId });
  const told = `run ${runId} is ${status}, and cannot be resumed: ${summary}`;
  io.say([told, ...next.map(describeAdvice)].join('\n'));
  return code;
}

/** Resumes all runs concurrently. Ctrl-C exits and leaves them interrupted. */
async function resumeAll(cli: CliOptions, options: DriveOptions, io: Io): Promise<number> {
  const left: DetentError[] = [];
  const onError = (error: unknown) => {
    if (DetentError.is(error) && isLeftToPeople(error)) left.push(error);
    io.complain(error);
  };
  const leave = () => {
    io.say('detent: stopped; resume the runs with: detent runs resume --all');
    io.leave(exit.cancelled);
  };
  const stopListening = io.onInterrupt(leave);
  try {
    return await withPort({ ...cli, onError }, async (port) => {
      const views: RunView[] = [];
      const isLog = options.format === 'jsonl';
      const drive = async (runId: string) => {
        const handle = port.attach(runId);
        views.push(
          isLog ? await driveRun(port, handle, { ...options, interactive: false }, io) : await handle.result,
        );
      };
      let handed = await port.detent.runs.resume();
      for (const runId of handed) await drive(runId);
      // A server hands out as many as there is room for.
      while (cli.database.url !== undefined && handed.length > 0) {
        handed = await port.detent.runs.resume();
        for (const runId of handed) await drive(runId);
      }
      return await printRuns(views, left, options, io);
    });
  } finally {
    stopListening();
  }
}

/**
 * The exit code is the first failure; else 5 if a run waits for a person; else 0.
 *
 * @param left why runs were left as they are
 */
async function printRuns(
  views: readonly RunView[],
  left: readonly DetentError[],
  { format, quiet }: DriveOptions,
  io: Io,
): Promise<number> {
  if (format === 'json') io.json(await Promise.all(views.map(withReasons)));
  if (format === 'text') for (const view of views) io.out(`${runLine(view)}\n`);
  if (views.length + left.length === 0 && !quiet) io.say('there is nothing to resume');
  const codes = [...left.map(exitCodeOfError), ...views.map(exitCodeOfRun)].filter(
    (code) => code !== exit.ok,
  );
  return codes.find((code) => code !== exit.waiting) ?? codes[0] ?? exit.ok;
}

function runLine({ runId, status, outcome }: RunView): string {
  return `${runId}  ${status}${outcome && outcome !== status ? `  ${outcome}` : ''}`;
}
