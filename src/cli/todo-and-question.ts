import type { QuestionView, TodoItem } from '../index.ts';

const marks = { pending: '[ ]', in_progress: '[>]', completed: '[x]' } as const;

/** A line for each item. */
export function checklist(items: readonly TodoItem[]): string[] {
  return items.map(({ content, status }) => `${marks[status]} ${content}`);
}

/** The question, and its options by number. */
export function questionLines({ text, options = [] }: QuestionView): string[] {
  return [...text.split('\n'), ...options.map((option, i) => `${i + 1}. ${option}`)];
}

/**
 * What a person typed, as an answer: a number stands for the option, numbers with commas for several where that is
 * allowed. Anything else is taken as it is, to be checked with the question.
 */
export function typedAnswer({ options = [], multiple }: QuestionView, line: string): string | string[] {
  const optionOf = (word: string): string =>
    /^\d+$/.test(word) ? (options[Number(word) - 1] ?? word) : word;
  const whole = line.trim();
  if (options.includes(whole) || !multiple) return options.includes(whole) ? whole : optionOf(whole);
  return whole
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')
    .map(optionOf);
}
