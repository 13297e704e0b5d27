import type { FieldDifference, PartingTransition, RunDiff } from '../../../index.ts';
import { reading } from '../../drive/with-detent.ts';
import { type Flags, word } from '../../settings/flags.ts';
import { loadOptions, requireDatabase } from '../../settings/load-options.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { findAgentRun } from './find-agent-run.ts';

/** `detent runs diff A B`. */
export async function diffTwoRuns(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const a = word(words, 0, 'A');
  const b = word(words, 1, 'B');
  const options = await loadOptions(flags, io);
  requireDatabase(options, a);
  const diff = await reading(options, async (detent) =>
    detent.runs.diff(await findAgentRun(detent, a), await findAgentRun(detent, b)),
  );
  if (flags.json) io.json(diff);
  else io.out(`${describeDiff(diff)}\n`);
  return exit.ok;
}

function describeDiff({ common, parting, a, b }: RunDiff): string {
  const pair = (name: string, one: string | number, other: string | number) =>
    one === other ? `${name.padEnd(12)}${one}` : `${name.padEnd(12)}${one}  ≠  ${other}`;
  const tokens = ({ usage }: RunDiff['a']) => `${usage.inputTokens} in, ${usage.outputTokens} out`;
  const state = ({ status, outcome }: RunDiff['a']) =>
    outcome && outcome !== status ? `${status} (${outcome})` : status;
  return [
    pair('runs', a.runId, b.runId),
    parting === null
      ? `the runs agree in all ${common} transitions`
      : `the runs agree in the first ${common} transitions, then diverge:`,
    ...(parting
      ? [`  a  ${step(parting.a)}`, `  b  ${step(parting.b)}`, ...parting.differences.flatMap(describe)]
      : []),
    '',
    pair('status', state(a), state(b)),
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

function describe({ field, a, b }: FieldDifference): string[] {
  const shown = (value: unknown) => {
    const text = value === undefined ? 'nothing' : JSON.stringify(value);
    return text.length > maxShown ? `${text.slice(0, maxShown)}…` : text;
  };
  return [`  ${field}`, `    a  ${shown(a)}`, `    b  ${shown(b)}`];
}
