import type { CallView, RunView, StepView } from '../../index.ts';
import { exit } from '../exit-codes.ts';
import { type Flags, word } from '../flags.ts';
import { loadOptions, requireDatabase } from '../load-options.ts';
import { out, printable } from '../say.ts';
import { reading } from '../session.ts';

/** `detent runs show RUN`. */
export async function showRun(words: readonly string[], flags: Flags): Promise<number> {
  const runId = word(words, 0, 'RUN');
  const options = await loadOptions(flags);
  requireDatabase(options, runId);
  const view = await reading(options, (detent) => detent.runs.show(runId));
  out(flags.json ? `${JSON.stringify(view)}\n` : `${printable(describe(view))}\n`);
  return exit.ok;
}

function describe(view: RunView): string {
  const { usage, pending, error } = view;
  return [
    `run      ${view.runId}`,
    `session  ${view.sessionId}`,
    ...(view.agent === undefined ? [] : [`agent    ${view.agent}`]),
    `status   ${view.status}${view.outcome ? ` (${view.outcome})` : ''}`,
    `states   ${view.states.join(' → ')}`,
    `tokens   ${usage.inputTokens} in, ${usage.outputTokens} out${usage.costUsd === null ? '' : `, $${usage.costUsd.toFixed(4)}`}`,
    ...view.steps.flatMap(describeStep),
    ...pending.flatMap(({ kind, callId, name, arguments: given, argumentsHash, why }) => [
      '',
      `asks     ${kind} ${callId} ${name} (${why})`,
      `         ${JSON.stringify(given)}`,
      ...(argumentsHash ? [`         hash ${argumentsHash}`] : []),
    ]),
    ...(error ? ['', `error    ${error.code}: ${error.message}`] : []),
  ].join('\n');
}

function describeStep(
  { model, finishReason, toolCalls, text, refusal, error }: StepView,
  i: number,
): string[] {
  return [
    '',
    `step ${i + 1}   ${model}${finishReason ? `, ${finishReason}` : ''}`,
    ...[text, refusal].filter((words) => words !== ''),
    ...toolCalls.flatMap(describeCall),
    ...(error ? [`  broke off: ${error.message}`] : []),
  ];
}

function describeCall({ callId, name, argumentsRaw, status, code, decision, result }: CallView): string[] {
  const facts = [status, code, decision].filter((fact) => fact !== null).join(', ');
  return [
    `  ${callId} ${name} ${argumentsRaw}`,
    `     ${facts}${result === null ? '' : `: ${firstLine(result)}`}`,
  ];
}

const mostShown = 120;

function firstLine(result: string): string {
  const [line = '', ...rest] = result.split('\n');
  if (line.length > mostShown) return `${line.slice(0, mostShown)}…`;
  return rest.length > 0 ? `${line} …` : line;
}
