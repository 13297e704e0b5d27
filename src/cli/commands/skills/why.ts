import { type Flags, word } from '../../settings/flags.ts';
import { columns } from '../../terminal/columns.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { skillsOf } from './skills.ts';

/** `detent skills why INPUT`: the skills that a run with this prompt would offer. */
export async function whySkills(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const input = word(words, 0, 'INPUT');
  const { skills } = await skillsOf(flags, io);
  const why = await skills.why(input);
  if (flags.json) {
    io.json(why);
    return exit.ok;
  }
  const { named, offered, mode, scores } = why;
  const shown =
    mode === 'listed'
      ? `the model is shown all ${offered} skills, and chooses one or none`
      : `of ${offered} skills the model is shown the best, and chooses one or none`;
  io.out(
    [
      ...(named === null ? [] : [`the prompt names ${named}, which the run follows from its start`]),
      offered === 0 ? 'there are no skills that a model may choose' : shown,
      scores.length === 0
        ? 'no skill matches the words of the prompt'
        : 'these skills match the words of the prompt, best first:',
      columns(scores.map(({ name, score }) => ['', name, score.toFixed(2)])),
    ].join('\n'),
  );
  return exit.ok;
}
