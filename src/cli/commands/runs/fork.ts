import type {
  FieldDifference,
  Forked,
  OpenEffect,
  PartingTransition,
  RunDiff,
  RunView,
} from '../../../index.ts';
import { approvals } from '../../../protocol/enums.ts';
import { isWorkflowView } from '../../../protocol/views.ts';
import { shortened } from '../../../text/wording.ts';
import { isEnded, resumeCommand } from '../../drive/report-end.ts';
import { readingPort, withPort } from '../../drive/with-detent.ts';
import { type Flags, oneOf, text, usage, wholeNumber, word } from '../../settings/flags.ts';
import { loadOptions, requireDatabase } from '../../settings/load-options.ts';
import { addressOf } from '../../settings/run-options.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { findAgentRun, onRun } from './follow.ts';
import { stateWords } from './history.ts';

/** `detent runs fork RUN --at SEQ`. */
export async function forkRun(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const named = word(words, 0, 'RUN');
  const at = wholeNumber(flags, 'at', 0);
  if (at === undefined) throw usage('--at SEQ is missing');
  const model = text(flags, 'model');
  const editMessage = text(flags, 'edit-message');
  const approve = oneOf(flags, 'approve', approvals);
  const options = await loadOptions(flags, io);
  return onRun(withPort, options, named, async (port, runId) => {
    const changes = {
      ...addressOf(flags),
      ...(model !== undefined && { model }),
      ...(editMessage !== undefined && { editMessage }),
      ...(approve !== undefined && { approve }),
    };
    // Only a Detent of this process gets an address: --server excludes it.
    const fork = await port.ask('run.fork', { runId, at, resume: false, ...changes });
    const view = await port.show(fork.runId);
    const { status } = view;
    if (flags.json) io.json({ ...fork, status, from: { runId, seq: at } });
    else {
      const { parentRunId } = await port.show(runId);
      if (parentRunId !== undefined)
        io.say(
          `this copies the sub-run alone, not the run that waits for it; to copy that one: detent runs fork ${parentRunId} --at SEQ`,
        );
      printFork(fork, view, io);
    }
    return exit.ok;
  });
}

/** Prints a fork, its open effects, and the command that resumes it. */
export function printFork({ runId, sessionId, open }: Forked, view: RunView, io: Io): void {
  const { status } = view;
  io.out(`${runId}  ${status}  ${sessionId}\n`);
  if (open.length > 0) io.say('open effects, not started yet:');
  for (const effect of open) io.say(`  ${describeFork(effect)}`);
  if (status === 'waiting' && view.pending.length > 0)
    io.say(
      `the fork waits for the same decisions as the original: list them with: detent runs show ${runId}`,
    );
  if (isEnded(view) && isWorkflowView(view))
    io.say(
      'the fork has ended, as the original had by then; fork an earlier transition to continue from there',
    );
  else if (isEnded(view))
    io.say(
      `the fork has ended, as the original had by then: continue the conversation with: detent run --session ${sessionId} "PROMPT"`,
    );
  else io.say(`resume the fork with: ${resumeCommand(view)}`);
}

const waits: Readonly<Record<OpenEffect['status'], string>> = {
  pending: 'starts on resume',
  held: 'waits for a decision or for its turn',
  uncertain: 'may already have run: decide with "detent runs reconcile"',
};

function describeFork({ effect, name, status, callId, tool, arguments: given, service }: OpenEffect): string {
  const own = service === undefined ? `effect ${effect} ${name}` : `${service} (c${effect})`;
  const what = callId === undefined ? own : `${callId} ${tool}(${given})`;
  const mayAsk = status === 'pending' && (callId ?? service) !== undefined;
  const isRun = name === 'effect.run' ? '; a question is asked again' : '';
  return `${what}: ${waits[status]}${mayAsk ? `, and asks first if it acts${isRun}` : ''}`;
}

/** `detent runs diff A B`. */
export async function diffTwoRuns(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const a = word(words, 0, 'A');
  const b = word(words, 1, 'B');
  const options = await loadOptions(flags, io);
  requireDatabase(options, a);
  const diff = await readingPort(options, async (port) =>
    port.ask('run.diff', { runId: await findAgentRun(port, a), otherRunId: await findAgentRun(port, b) }),
  );
  if (flags.json) io.json(diff);
  else io.out(`${describeDiff(diff)}\n`);
  return flags['exit-code'] === true && diff.parting !== null ? exit.failed : exit.ok;
}

function describeDiff({ common, parting, a, b }: RunDiff): string {
  const pair = (name: string, one: string | number, other: string | number) =>
    one === other ? `${name.padEnd(12)}${one}` : `${name.padEnd(12)}${one}  ≠  ${other}`;
  const tokens = ({ usage }: RunDiff['a']) => `${usage.inputTokens} in, ${usage.outputTokens} out`;
  return [
    pair('runs', a.runId, b.runId),
    parting === null
      ? `the runs agree in all ${common} transitions`
      : `the runs agree in the first ${common} transitions, then diverge:`,
    ...(parting
      ? [`  a  ${step(parting.a)}`, `  b  ${step(parting.b)}`, ...parting.differences.flatMap(describeStep)]
      : []),
    '',
    pair('status', stateWords(a), stateWords(b)),
    pair('transitions', a.transitions, b.transitions),
    pair('steps', a.steps, b.steps),
    pair('tool calls', a.toolCalls, b.toolCalls),
    pair('tokens', tokens(a), tokens(b)),
    pair('answer', JSON.stringify(a.text), JSON.stringify(b.text)),
  ].join('\n');
}

function step(transition: PartingTransition | null): string {
  if (!transition) return 'has no more transitions';
  const { seq, type, path } = transition;
  return `seq ${seq}  ${type} → ${path}`;
}

const maxShown = 200;

function describeStep({ field, a, b }: FieldDifference): string[] {
  const shown = (value: unknown) =>
    shortened(value === undefined ? 'nothing' : JSON.stringify(value), maxShown);
  return [`  ${field}`, `    a  ${shown(a)}`, `    b  ${shown(b)}`];
}
