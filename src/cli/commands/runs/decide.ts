import type {
  ConfirmDecision,
  DecisionResult,
  GrantRequest,
  ReconcileDecision,
  RunView,
} from '../../../index.ts';
import { DetentError } from '../../../protocol/error.ts';
import { parseJson } from '../../../protocol/json.ts';
import { isWorkflowView } from '../../../protocol/views.ts';
import { needsOtherChart } from '../../drive/drive.ts';
import { resumeCommand } from '../../drive/report-end.ts';
import { withPort } from '../../drive/with-detent.ts';
import type { Port } from '../../port/port.ts';
import { type Flags, text, texts, usage, word } from '../../settings/flags.ts';
import { loadOptions } from '../../settings/load-options.ts';
import { addressOf, outputOptions } from '../../settings/run-options.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import type { OutputOptions } from '../../terminal/printer.ts';
import { onRun } from './follow.ts';
import { resumeRun } from './resume.ts';

/** `detent runs confirm RUN CALL`. */
export async function confirmCall(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const decision = confirmDecision(flags);
  return decide(words, flags, io, (port, runId, call) => port.attach(runId).confirm(call, decision));
}

/** `detent runs reconcile RUN CALL`. */
export async function reconcileCall(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const decision = reconcileDecision(flags);
  return decide(words, flags, io, async (port, runId, call) =>
    port.ask('run.reconcile', { runId, callId: await callOf(port, runId, call), ...decision }),
  );
}

/** The id of a call: of a step of a workflow, its name will do. */
async function callOf(port: Port, runId: string, call: string): Promise<string> {
  if (/^c\d+$/.test(call)) return call;
  const view = await port.show(runId);
  if (!isWorkflowView(view)) return call;
  const { services } = view.workflow;
  const named = services.filter(({ id, status }) => id === call && status === 'uncertain');
  return (named.length === 1 && named[0]?.callId) || call;
}

async function decide(
  words: readonly string[],
  flags: Flags,
  io: Io,
  send: (port: Port, runId: string, call: string) => Promise<DecisionResult>,
): Promise<number> {
  const named = word(words, 0, 'RUN');
  const call = word(words, 1, 'CALL');
  const output = outputOptions(flags, io);
  const options = await loadOptions(flags, io);
  return onRun(withPort, options, named, async (port, runId) => {
    const result = await send(port, runId, call);
    const isResumed = flags.resume === true;
    return afterDecision(port, runId, result, { of: { callId: call }, isResumed, flags, output }, io);
  });
}

interface SentDecision {
  /** What was decided on, as JSON has it. */
  of: { callId: string } | { invocation: string };
  /** Whether to resume the run if the decision stands. */
  isResumed: boolean;
  flags: Flags;
  output: OutputOptions;
}

/** Says what became of a decision, and resumes the run or says what it waits for. */
export async function afterDecision(
  port: Port,
  runId: string,
  result: DecisionResult,
  { of, isResumed, flags, output }: SentDecision,
  io: Io,
): Promise<number> {
  const said = `${result.applied ? '' : 'already '}decided: ${result.verdict}`;
  if (isResumed && result.stands) {
    if (!flags.json && !output.quiet) io.say(said);
    // Resuming the top run resumes its sub-runs.
    const top = await topRun(port, runId);
    return resumeRun(port, top.runId, addressOf(flags), output, io).catch((error: unknown) => {
      if (DetentError.is(error) && needsOtherChart(error) && !output.quiet)
        io.say('the decision is stored, and counts once the run can continue');
      throw error;
    });
  }
  const { status, pending } = await port.show(runId);
  if (flags.json) io.json({ runId, ...of, ...result, status });
  else io.out(`${said}\n`);
  if (status === 'waiting')
    io.say(
      pending.length > 0
        ? `run ${runId} waits for more decisions: list them with: detent runs show ${runId}`
        : `run ${runId} waits for an event or a timer: detent runs why ${runId}`,
    );
  if (status === 'running') io.say(`another process continues it: detent runs follow ${runId}`);
  if (status === 'decided' || status === 'interrupted' || status === 'unstarted')
    io.say(`resume the run with: ${await resumeAsWhySays(port, await topRun(port, runId))}`);
  if (result.stands) return exit.ok;
  io.say(`detent: this decision came too late and changed nothing: "${result.verdict}" stands`);
  return exit.failed;
}

/** `why` knows whether the run must be taken to this place or workspace first. */
async function resumeAsWhySays({ ask }: Port, top: RunView): Promise<string> {
  const { next } = await ask('run.why', { runId: top.runId });
  const here = next.find(
    ({ command }) => command?.startsWith('detent runs resume ') && / --here$/.test(command),
  );
  return here?.command ?? resumeCommand(top);
}

function confirmDecision(flags: Flags): ConfirmDecision {
  const modify = text(flags, 'modify');
  const answers = texts(flags, 'answer');
  const hash = text(flags, 'hash');
  const reason = text(flags, 'reason');
  const result = text(flags, 'result');
  const chosen = [
    flags.approve,
    flags.reject,
    modify !== undefined,
    answers.length > 0,
    result !== undefined,
  ];
  if (chosen.filter(Boolean).length !== 1)
    throw usage('choose one of --approve, --reject, --modify JSON, --answer TEXT and --result TEXT');
  if (reason !== undefined && !flags.reject) throw usage('--reason goes with --reject');
  const seen = hash === undefined ? {} : { hash };
  const grant = grantRequest(flags);
  if (flags.approve) return { verdict: 'approve', ...seen, ...(grant && { grant }) };
  if (flags.reject) return { verdict: 'reject', ...seen, ...(reason !== undefined && { reason }) };
  if (result !== undefined) return { verdict: 'result', ...seen, result };
  const [answer = '', ...more] = answers;
  if (answers.length > 0)
    return { verdict: 'answer', ...seen, answer: more.length > 0 ? [answer, ...more] : answer };
  if (parseJson(modify ?? '') === undefined)
    throw usage('--modify takes the new arguments as JSON, in quotes');
  return { verdict: 'modify', ...seen, arguments: modify };
}

function grantRequest(flags: Flags): GrantRequest | null {
  const pattern = text(flags, 'pattern');
  if (pattern !== undefined && !flags['for-session'])
    throw usage('--pattern goes with --approve --for-session');
  if (!flags['for-session']) return null;
  if (!flags.approve) throw usage('--for-session goes with --approve');
  if (pattern === undefined) return {};
  const value = parseJson(pattern);
  if (value === undefined) throw usage('--pattern takes JSON, in quotes: {"command":{"like":"npm test*"}}');
  return { pattern: value };
}

function reconcileDecision(flags: Flags): ReconcileDecision {
  if ([flags.ran, flags.retry, flags.skip].filter(Boolean).length !== 1)
    throw usage('choose one of --ran, --retry and --skip');
  const result = text(flags, 'result');
  if (result !== undefined && !flags.ran) throw usage('--result goes with --ran');
  if (flags.ran) return { verdict: 'ran', ...(result !== undefined && { result }) };
  return { verdict: flags.retry ? 'retry' : 'skip' };
}

/** The run to resume: the outermost unfinished parent of this one, or the run itself. */
async function topRun(port: Port, runId: string): Promise<RunView> {
  for (let view = await port.show(runId); ; ) {
    const { parentRunId, status } = view;
    if (parentRunId === undefined) return view;
    const parent = await port.show(parentRunId).catch(() => null);
    // An ended or deleted parent cannot be resumed.
    if (!parent || ['done', 'failed', 'cancelled'].includes(parent.status) || status === 'done') return view;
    view = parent;
  }
}
