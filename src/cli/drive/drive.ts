import { setTimeout as sleep } from 'node:timers/promises';
import type { RunHandle, RunView } from '../../index.ts';
import { DetentError } from '../../protocol/error.ts';
import { isWorkflowView, type WorkflowRunView } from '../../protocol/views.ts';
import { breath } from '../../text/limiter.ts';
import { type Port, readLog } from '../port/port.ts';
import { exit } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { type OutputOptions, RunPrinter } from '../terminal/printer.ts';
import { labelled } from './labelled.ts';
import { isEnded, reportEnd, resumeCommand } from './report-end.ts';

export interface DriveOptions extends OutputOptions {
  /** Ask on the terminal instead of parking the run. */
  interactive: boolean;
  /** Ctrl-C leaves the run as it is, instead of cancelling it. */
  isLeftOnInterrupt?: boolean;
  /** The command says itself how the run ended. */
  isEndTold?: boolean;
}

/** Shows a run until it ends, or parks with no person here to decide. */
export async function driveRun(
  port: Port,
  handle: RunHandle,
  options: DriveOptions,
  io: Io,
): Promise<RunView> {
  const printer = new RunPrinter(options, io);
  const interrupt = options.isLeftOnInterrupt
    ? leaveOnInterrupt(handle, printer, io)
    : cancelOnInterrupt(handle, printer, io);
  const watcher = new AbortController();
  try {
    const watching = watch(port, handle, printer, watcher.signal);
    // Awaited below for ended runs only, since a parked run emits no last transition. Its rejection must be handled anyway.
    watching.catch(() => {});
    const view = await settle(port, handle, printer, options, interrupt.now, io);
    if (isEnded(view)) await watching;
    await printer.end(view);
    if (!options.isEndTold) await reportEnd(port, view, options.quiet, io);
    return view;
  } catch (error) {
    printer.breakOff();
    await reportBroken(port, handle, options, error, io);
    throw error;
  } finally {
    watcher.abort();
    interrupt.stop();
  }
}

/** Asks the person here until the run needs no decision, or the person puts it off. */
async function settle(
  port: Port,
  handle: RunHandle,
  printer: RunPrinter,
  { interactive, since }: DriveOptions,
  interrupt: () => Promise<unknown>,
  io: Io,
): Promise<RunView> {
  for (;;) {
    const view = await handle.result;
    await catchUp(port, handle, printer, since);
    if (isWorkflowView(view) && (await waitForRetry(view))) continue;
    if (!interactive || view.status !== 'waiting') return view;
    // It waits for an event: nothing can be decided here.
    if (isWorkflowView(view) && view.pending.length === 0) return view;
    // Lets the printer show the signals that led to the question before the question.
    await breath();
    printer.pause();
    const { decideHere } = await import('./decide-here.ts');
    const decided = await decideHere(port, handle, view, io);
    // Without the calls that the person decided before.
    if (decided === 'later') return port.show(handle.runId);
    if (decided === 'interrupted') await interrupt();
  }
}

const maxRetryWaitMs = 60_000;
const pollMs = 50;

/** A service that soon begins again is still at work for the person here. False if there is none, or a person is asked. */
async function waitForRetry({ status, pending, workflow }: WorkflowRunView): Promise<boolean> {
  if (status !== 'waiting' || pending.length > 0) return false;
  const retries = workflow.services.flatMap(({ retryAt = Infinity }) => retryAt);
  const inMs = Math.min(...retries) - Date.now();
  // Long overdue: this process does not drive the run.
  if (inMs > maxRetryWaitMs || inMs < -maxRetryWaitMs) return false;
  await sleep(Math.max(inMs, pollMs));
  return true;
}

/** Shows the transitions of a workflow that led to its rest, and that the watcher has yet to show. */
async function catchUp(port: Port, { runId }: RunHandle, printer: RunPrinter, since = 0): Promise<void> {
  if (!printer.isOfWorkflow) return;
  for await (const logged of readLog(port.ask, runId, printer.shownSeq))
    if (logged.at >= since) printer.signal({ ...logged });
}

async function watch(port: Port, handle: RunHandle, printer: RunPrinter, stop: AbortSignal): Promise<void> {
  for await (const signal of handle.events) {
    // Another watcher may show a parked run later.
    if (stop.aborted) return;
    printer.signal(printer.isOfWorkflow ? await labelled(port, handle.runId, signal) : signal);
  }
}

/** The first Ctrl-C cancels the run durably. The second exits at once, as does one before the run is stored. */
function cancelOnInterrupt(
  handle: RunHandle,
  printer: RunPrinter,
  io: Io,
): { now(): Promise<unknown>; stop(): void } {
  let isStarted = false;
  let isAsked = false;
  handle.started.then(
    () => {
      isStarted = true;
    },
    () => {},
  );
  const now = async () => {
    printer.pause();
    if (isAsked || !isStarted) io.leave(exit.cancelled);
    isAsked = true;
    io.say('detent: cancelling; press Ctrl-C again to leave at once');
    return handle.cancel('interrupted from the terminal').catch(io.complain);
  };
  return { now, stop: io.onInterrupt(now) };
}

/** What has begun stays as it is in the database, and a resume goes on from there. */
function leaveOnInterrupt(
  handle: RunHandle,
  printer: RunPrinter,
  io: Io,
): ReturnType<typeof cancelOnInterrupt> {
  const now = async () => {
    printer.breakOff();
    const { runId } = handle;
    io.say(`detent: left run ${runId} as it is; resume it with: ${resumeCommand({ runId })}`);
    return io.leave(exit.cancelled);
  };
  return { now, stop: io.onInterrupt(now) };
}

/** Whether the chart that a run needs is not here: no resume by this program helps. */
export function needsOtherChart({ code }: Pick<DetentError, 'code'>): boolean {
  return code === 'MIGRATION_NEEDED' || code === 'CHART_CHANGED';
}

/** Whether `runs resume --all` has not done what it was asked: a run stays as it is until a person does something about it. */
export function isLeftToPeople(error: Pick<DetentError, 'code'>): boolean {
  return needsOtherChart(error) || error.code === 'DATABASE_MOVED';
}

/** The database failed during a run. Committed work is safe; with `json`, stdout still gets the run as an object. */
async function reportBroken(
  port: Port,
  handle: RunHandle,
  { format }: OutputOptions,
  error: unknown,
  io: Io,
): Promise<void> {
  const view = await handle.started.then((runId) => port.show(runId)).catch(() => null);
  if (!view || isEnded(view)) return;
  const { code, message, retryable } = DetentError.is(error)
    ? error
    : { code: 'INTERNAL', message: String(error), retryable: false };
  if (format === 'json') io.json({ ...view, status: 'interrupted', error: { code, message, retryable } });
  // A resume by this program would end the same way.
  if (needsOtherChart({ code })) return io.say(`detent: see what to do with: detent runs why ${view.runId}`);
  io.say(`detent: run ${view.runId} is interrupted: resume it with: ${resumeCommand(view)}`);
}
