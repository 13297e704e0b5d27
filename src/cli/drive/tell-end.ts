import type { Detent, PendingView, RunView } from '../../index.ts';
import type { Io } from '../terminal/io.ts';
import type { OutputOptions } from '../terminal/printer.ts';

export function isEnded({ status }: Pick<RunView, 'status'>): boolean {
  return status === 'done' || status === 'failed' || status === 'cancelled';
}

/** Says on stderr what went wrong with a run, or what a person must do so that it can go on. */
export async function tellEnd(detent: Detent, view: RunView, quiet: boolean, io: Io): Promise<void> {
  const { runId, status, outcome, error } = view;
  if (!isEnded(view)) return io.say(await howToGoOn(detent, view));
  if (status === 'failed')
    io.say(
      `detent: ${outcome}: ${error?.message ?? 'the run failed'} (${error?.code ?? 'UNKNOWN'}, run ${runId})`,
    );
  if (status === 'cancelled') io.say(`detent: run ${runId} was cancelled`);
  if (outcome === 'completed_degraded' && !quiet)
    io.say(`detent: completed with losses; see "detent runs show ${runId}"`);
}

/** Says under which names a run that went well can be found again. */
export function tellNames({ status, runId, sessionId }: RunView, { quiet }: OutputOptions, io: Io): void {
  if (status === 'done' && !quiet) io.say(`· done (run ${runId}, session ${sessionId})`);
}

async function howToGoOn(detent: Detent, view: RunView): Promise<string> {
  const { runId, sessionId } = view;
  const resume = `detent runs resume ${runId}`;
  if (view.status === 'waiting') {
    const asking = view.waitsFor === undefined ? view : await detent.runs.show(view.waitsFor);
    return howToDecide(asking, resume);
  }
  if (view.status !== 'queued') return `run ${runId} is interrupted; carry it on with: ${resume}`;
  const lane = await detent.runs.list({ session: sessionId });
  // Newest first: the last that has not ended is at the head of the lane.
  const head = lane.findLast((run) => run.runId !== runId && !isEnded(run));
  if (!head) return `run ${runId} is queued; carry it on with: ${resume}`;
  return [
    `run ${runId} waits behind run ${head.runId} of session ${sessionId}, which is ${head.status}:`,
    `    detent runs show ${head.runId}`,
    `then: ${resume}`,
  ].join('\n');
}

const verdicts: Readonly<Record<PendingView['kind'], string>> = {
  confirm: 'confirm RUN CALL --approve | --reject [--reason TEXT] | --modify JSON',
  question: 'confirm RUN CALL --answer TEXT | --reject [--reason TEXT]',
  reconcile: 'reconcile RUN CALL --ran [--result TEXT] | --retry | --skip',
};

/** How a person moves a run on that only a person can move. */
function howToDecide({ runId, pending }: RunView, resume: string): string {
  const lines = pending.flatMap(({ kind, callId, name, arguments: args, why }) => [
    `  ${callId} ${name} ${JSON.stringify(args)}  (${why})`,
    `    detent runs ${verdicts[kind].replace('RUN', runId).replace('CALL', callId)}`,
  ]);
  const what = pending.every(({ kind }) => kind === 'question') ? 'an answer' : 'a decision';
  return [`run ${runId} waits for ${what}:`, ...lines, `then: ${resume}`].join('\n');
}
