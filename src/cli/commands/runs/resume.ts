import type { Detent, RunView } from '../../../index.ts';
import { type DriveOptions, driveRun } from '../../drive/drive.ts';
import { tellNames } from '../../drive/tell-end.ts';
import { withDetent } from '../../drive/with-detent.ts';
import { type Flags, usage, word } from '../../settings/flags.ts';
import { hasDatabase, loadOptions, requireDatabase } from '../../settings/load-options.ts';
import { outputOptions } from '../../settings/run-options.ts';
import { exit, exitCodeOfRun } from '../../terminal/exit-codes.ts';
import { out, say } from '../../terminal/say.ts';
import { isAttended } from '../../terminal/terminal.ts';

/** `detent runs resume RUN | --all`. */
export async function resumeRuns(words: readonly string[], flags: Flags): Promise<number> {
  const output = outputOptions(flags);
  if (flags.all ? words.length > 0 : words.length === 0)
    throw usage('"detent runs resume" takes a RUN or --all');
  const options = await loadOptions(flags);
  const driving = { ...output, interactive: isAttended() };
  if (flags.all)
    return hasDatabase(options)
      ? withDetent(options, (detent) => resumeAll(detent, driving))
      : tellAll([], driving);
  const runId = word(words, 0, 'RUN');
  requireDatabase(options, runId);
  return withDetent(options, async (detent) => {
    const before = await detent.runs.show(runId);
    const since = Date.now();
    const handle = detent.runs.attach(runId);
    await detent.runs.resume({ runId });
    const view = await driveRun(detent, handle, { ...driving, since, before });
    tellNames(view, output);
    return exitCodeOfRun(view);
  });
}

/** They all run at once; Ctrl-C leaves them where they are. */
async function resumeAll(detent: Detent, options: DriveOptions): Promise<number> {
  const leave = () => {
    say('detent: left; carry on with: detent runs resume --all');
    process.exit(exit.cancelled);
  };
  process.on('SIGINT', leave);
  try {
    const views: RunView[] = [];
    for (const runId of await detent.runs.resume()) {
      const handle = detent.runs.attach(runId);
      const isLog = options.format === 'jsonl';
      views.push(
        isLog ? await driveRun(detent, handle, { ...options, interactive: false }) : await handle.result,
      );
    }
    return tellAll(views, options);
  } finally {
    process.off('SIGINT', leave);
  }
}

/** The worst that happened is the exit code; waiting for a person is the least of it. */
function tellAll(views: readonly RunView[], { format, quiet }: DriveOptions): number {
  if (format === 'json') out(`${JSON.stringify(views)}\n`);
  if (format === 'text') for (const view of views) out(`${describe(view)}\n`);
  if (views.length === 0 && !quiet) say('there is nothing to resume');
  const codes = views.map(exitCodeOfRun).filter((code) => code !== exit.ok);
  return codes.find((code) => code !== exit.waiting) ?? codes[0] ?? exit.ok;
}

function describe({ runId, status, outcome }: RunView): string {
  return `${runId}  ${status}${outcome && outcome !== status ? `  ${outcome}` : ''}`;
}
