import type { Why } from '../../../index.ts';
import { reading } from '../../drive/with-detent.ts';
import { type Flags, word } from '../../settings/flags.ts';
import { loadOptions, requireDatabase } from '../../settings/load-options.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { findAgentRun } from './find-agent-run.ts';

/** `detent runs why RUN`. */
export async function whyRun(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const named = word(words, 0, 'RUN');
  const options = await loadOptions(flags, io);
  requireDatabase(options, named);
  const why = await reading(options, async (detent) => detent.runs.why(await findAgentRun(detent, named)));
  if (flags.json) io.json(why);
  else io.out(io.asTyped(`${describeWhy(why)}\n`));
  return exit.ok;
}

/** Links shown to people; `--json` has the whole chain. */
const maxLinks = 5;

/** The explanation as text for people. */
export function describeWhy({
  runId,
  status,
  outcome,
  summary,
  details,
  chain,
  next,
  unfolded,
}: Why): string {
  const state = outcome && outcome !== status ? `${status} (${outcome})` : status;
  const shown = chain.slice(-maxLinks);
  return [
    `${runId} is ${state}: ${ended(summary)}`,
    ...(details.length > 0 ? ['', ...details.map((line) => `  ${line}`)] : []),
    ...(shown.length > 0 ? ['', 'How it came to this:', ...shown.flatMap(describeLink)] : []),
    ...(unfolded === null ? [] : [`  (no guards: ${unfolded})`]),
    '',
    'What to do next:',
    ...next.map(({ text, command }) => (command === null ? `  ${text}` : `  ${text}:\n    ${command}`)),
  ].join('\n');
}

function ended(sentence: string): string {
  return /[.!?"…]$/.test(sentence) ? sentence : `${sentence}.`;
}

function describeLink({ seq, event, from, to, guards, effect, says }: Why['chain'][number]): string[] {
  // The event names the service already.
  const isSaid = effect?.service !== undefined && effect.attempts < 2;
  const doing =
    effect && !isSaid
      ? ` (answer of ${effect.callId ? `${effect.callId} ${effect.tool}` : (effect.service ?? effect.name)}, ${effect.attempts === 1 ? '1 attempt' : `${effect.attempts} attempts`})`
      : '';
  const asked = guards.map(({ guard, passed }) => `${guard} ${passed ? 'yes' : 'no'}`).join(', ');
  return [
    `  seq ${seq}  ${event}${doing}${says === '' ? '' : `: ${says}`}`,
    ...(asked === '' ? [] : [`      asked: ${asked}`]),
    `      ${from} → ${to}`,
  ];
}
