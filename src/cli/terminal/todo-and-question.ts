import type { QuestionField, QuestionView, TodoItem } from '../../index.ts';

const marks = { pending: '[ ]', in_progress: '[>]', completed: '[x]' } as const;

/** A line for each item. */
export function checklist(items: readonly TodoItem[]): string[] {
  return items.map(({ content, status }) => `${marks[status]} ${content}`);
}

/** The question, and its options by number; of a form, its fields. */
export function questionLines({ text, options = [], fields = [] }: QuestionView): string[] {
  return [...text.split('\n'), ...numbered(options), ...fields.flatMap(fieldLines)];
}

function numbered(options: readonly string[]): string[] {
  return options.map((option, i) => `${i + 1}. ${option}`);
}

function fieldLines(field: QuestionField): string[] {
  const { name, title, about, options = [] } = field;
  const what = [title, about].filter((words) => words !== undefined && words !== name).join('. ');
  return [
    `- ${name}${what && `: ${what}`} (${fieldText(field)})`,
    ...numbered(options.map(titled)).map((line) => `  ${line}`),
  ];
}

function fieldText({ type, format, multiple, optional, options, min, max, default: given }: QuestionField) {
  const kind = options ? (multiple ? 'any of these' : 'one of these') : (format ?? kinds[type]);
  const bounds = [min !== undefined && `from ${min}`, max !== undefined && `to ${max}`].filter(Boolean);
  const unit = multiple || type !== 'text' ? '' : ' characters';
  return [
    [kind, bounds.length > 0 && `${bounds.join(' ')}${unit}`].filter(Boolean).join(', '),
    given !== undefined ? `else ${String(given)}` : optional && 'may be left out',
  ]
    .filter(Boolean)
    .join('; ');
}

const kinds = { text: 'text', number: 'a number', integer: 'a whole number', boolean: 'yes or no' } as const;

function titled({ value, title }: { value: string; title?: string }): string {
  return title === undefined || title === value ? value : `${title} (${value})`;
}

/** Converts the line typed for a field of a form to its value. */
export function typedValue({ options, multiple }: QuestionField, line: string): string | string[] {
  const values = options?.map(({ value }) => value);
  return typedAnswer({ text: '', ...(values && { options: values }), ...(multiple && { multiple }) }, line);
}

/**
 * Converts a typed line to an answer: a number is the option with that number, comma-separated numbers are several
 * options where the question allows that. Any other text stays as it is; the run checks it against the question.
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
