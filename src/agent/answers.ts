import { DetentError } from '../protocol/error.ts';
import type { QuestionView } from '../protocol/run-view.ts';

/** More is a document: a person can put it into a file, and name that. */
const maxChars = 20_000;

/**
 * A person's answer as the tool is given it: the words, or a list of options where several may be chosen.
 *
 * @throws DetentError `INVALID_ANSWER` for no words at all, for too many, and for what is not among the options.
 */
export function checkedAnswer(question: QuestionView, answer: unknown): string | string[] {
  const { options, multiple } = question;
  const given = (Array.isArray(answer) ? answer : [answer]).map((one) => {
    if (typeof one !== 'string') throw invalid('an answer is text, or a list of texts');
    return one.trim();
  });
  const chosen = [...new Set(given)];
  if (chosen.length === 0 || chosen.includes('')) throw invalid('the answer is empty');
  if (chosen.reduce((sum, { length }) => sum + length, 0) > maxChars)
    throw invalid(`the answer has more than ${maxChars} characters; put it into a file and name that`);
  if (!multiple && chosen.length > 1) throw invalid('the question takes one answer');
  const strange = options && chosen.find((one) => !options.includes(one));
  if (strange !== undefined)
    throw invalid(`"${strange}" is not one of the options: ${options?.map((one) => `"${one}"`).join(', ')}`);
  return multiple ? chosen : (chosen[0] ?? '');
}

function invalid(why: string): DetentError {
  return new DetentError('INVALID_ANSWER', why);
}
