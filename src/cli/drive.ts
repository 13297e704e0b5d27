import { createInterface } from 'node:readline/promises';
import type { ConfirmDecision } from '../agent/runs.ts';
import type { Detent, RunHandle, RunView } from '../index.ts';
import { parseJson } from '../protocol/json.ts';
import { exit, exitCodeOfRun } from './exit-codes.ts';
import { howToDecide, type OutputOptions, RunPrinter, say } from './output.ts';

export interface DriveOptions extends OutputOptions {
  /** Ask on the terminal instead of parking the run. */
  interactive: boolean;
}

/** Shows a run until it ends or nobody here can move it; answers the exit code. */
export async function driveRun(detent: Detent, handle: RunHandle, options: DriveOptions): Promise<number> {
  const printer = new RunPrinter(options);
  const interrupt = cancelOnInterrupt(handle);
  try {
    const watching = watch(handle, printer);
    // A run that parks has no last transition, so nobody waits for `watching` to end.
    watching.catch(() => {});
    let view = await handle.result;
    while (options.interactive && view.status === 'waiting' && (await decideHere(handle, view)))
      view = await handle.result;
    if (view.status !== 'waiting' && view.status !== 'queued' && view.status !== 'interrupted')
      await watching;
    printer.end(view);
    await tell(detent, view, options);
    return exitCodeOfRun(view);
  } finally {
    interrupt.stop();
  }
}

async function watch(handle: RunHandle, printer: RunPrinter): Promise<void> {
  for await (const signal of handle.events) printer.signal(signal);
}

async function tell(detent: Detent, view: RunView, { quiet }: DriveOptions): Promise<void> {
  if (view.status === 'waiting' || view.status === 'queued' || view.status === 'interrupted') {
    const lane = await detent.runs.list({ session: view.sessionId });
    const blocker = lane.findLast(
      (run) => run.runId !== view.runId && !['done', 'failed', 'cancelled'].includes(run.status),
    );
    return say(howToDecide(view, blocker?.runId ?? null));
  }
  if (view.status === 'failed')
    say(
      `detent: ${view.outcome}: ${view.error?.message ?? 'the run failed'} (${view.error?.code}, run ${view.runId})`,
    );
  if (view.status === 'cancelled') say(`detent: run ${view.runId} was cancelled`);
  if (view.outcome === 'completed_degraded' && !quiet)
    say(`detent: completed with losses; see "detent runs show ${view.runId}"`);
}

/** The first Ctrl-C cancels the run, durably; the second leaves at once. */
function cancelOnInterrupt(handle: RunHandle): { stop(): void } {
  let asked = false;
  const onInterrupt = () => {
    if (asked) process.exit(exit.cancelled);
    asked = true;
    say('\ndetent: cancelling; press Ctrl-C again to leave at once');
    handle.cancel('interrupted from the terminal').catch((error: unknown) => say(String(error)));
  };
  process.on('SIGINT', onInterrupt);
  return { stop: () => void process.off('SIGINT', onInterrupt) };
}

/** Asks on the terminal about every open call; false when the person leaves it for later. */
async function decideHere(handle: RunHandle, view: RunView): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    for (const { kind, callId, name, arguments: args, argumentsHash, why } of view.pending) {
      if (kind !== 'confirm') return false;
      say(`\n${name} ${JSON.stringify(args, null, 2)}\n(${why})`);
      const decision = await askDecision(terminal, argumentsHash);
      if (!decision) return false;
      await handle.confirm(callId, decision);
    }
    return true;
  } finally {
    terminal.close();
  }
}

async function askDecision(
  terminal: ReturnType<typeof createInterface>,
  hash: string,
): Promise<ConfirmDecision | null> {
  for (;;) {
    const answer = (await terminal.question('[a]pprove, [r]eject, [m]odify, [l]ater? ')).trim().toLowerCase();
    if (answer === 'a' || answer === 'y') return { verdict: 'approve', hash };
    if (answer === 'l') return null;
    if (answer === 'r' || answer === 'n') {
      const reason = (await terminal.question('why (may be empty)? ')).trim();
      return { verdict: 'reject', hash, ...(reason && { reason }) };
    }
    if (answer !== 'm') continue;
    const changed = parseJson(await terminal.question('new arguments (JSON): '));
    if (changed === undefined) say('that is not JSON');
    else return { verdict: 'modify', hash, arguments: changed };
  }
}
