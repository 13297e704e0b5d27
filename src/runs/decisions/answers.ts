import { DetentError } from '../../protocol/error.ts';
import { isObject, parseJson } from '../../protocol/json.ts';
import type { Answer, FieldValue, QuestionField, QuestionView } from '../../protocol/views.ts';

/** Maximum length of an answer. A person can put a longer text into a file and answer with its name. */
const maxChars = 20_000;

/**
 * A person's answer in the form that the tool gets: a text, a list of options where several may be chosen, or the values
 * of a form with its defaults.
 *
 * @throws DetentError `INVALID_ANSWER` for an empty answer, one that is too long, one that is not among the options, and
 * a form whose values do not fit.
 */
export function checkedAnswer(question: QuestionView, answer: unknown): Answer {
  if (question.fields) return checkedForm(question.fields, answer);
  const { options, multiple } = question;
  const given = (Array.isArray(answer) ? answer : [answer]).map((one) => {
    if (typeof one !== 'string') throw invalidAnswer('an answer is text, or a list of texts');
    return one.trim();
  });
  const chosen = [...new Set(given)];
  if (chosen.length === 0 || chosen.includes('')) throw invalidAnswer('the answer is empty');
  checkLength(chosen);
  if (!multiple && chosen.length > 1) throw invalidAnswer('the question takes one answer');
  const strange = options && chosen.find((one) => !options.includes(one));
  if (strange !== undefined)
    throw invalidAnswer(
      `"${strange}" is not one of the options: ${options?.map((one) => `"${one}"`).join(', ')}`,
    );
  return multiple ? chosen : (chosen[0] ?? '');
}

/** `answer`: an object, or its JSON; the value alone where the form has one field. */
function checkedForm(fields: readonly QuestionField[], answer: unknown): Record<string, FieldValue> {
  const given = formOf(fields, answer);
  const known = new Set(fields.map(({ name }) => name));
  const strange = Object.keys(given).find((name) => !known.has(name));
  if (strange !== undefined)
    throw invalidAnswer(`there is no field "${strange}"; the fields are ${[...known].join(', ')}`);
  const values = fields.flatMap((field): [string, FieldValue][] => {
    const value = (Object.hasOwn(given, field.name) ? given[field.name] : undefined) ?? field.default;
    if (value !== undefined) return [[field.name, checkedValue(field, value)]];
    if (!field.optional) throw invalidAnswer(`field "${field.name}" is missing`);
    return [];
  });
  checkLength(values.flatMap(([, value]) => value));
  return Object.fromEntries(values);
}

function formOf(fields: readonly QuestionField[], answer: unknown): Record<string, unknown> {
  const [only, ...others] = fields;
  const read = typeof answer === 'string' ? parseJson(answer) : answer;
  if (isObject(read)) return read;
  if (only && others.length === 0) return { [only.name]: answer };
  const names = fields.map(({ name }) => `"${name}": …`).join(', ');
  throw invalidAnswer(`the answer is a JSON object with the fields of the form: {${names}}`);
}

/** Parses typed text as the number or boolean that the field needs. */
function checkedValue(field: QuestionField, value: unknown): FieldValue {
  const wrong = (what: string) => invalidAnswer(`field "${field.name}" ${what}`);
  if (field.multiple) {
    const list = (Array.isArray(value) ? value : [value]).map((one) => chosen(field, one, wrong));
    checkBounds(field, list.length, 'options', wrong);
    return [...new Set(list)];
  }
  if (field.type === 'boolean') {
    const said = typeof value === 'string' ? booleans.get(value.trim().toLowerCase()) : value;
    if (typeof said !== 'boolean') throw wrong('is true or false');
    return said;
  }
  if (field.type === 'text') {
    if (field.options) return chosen(field, value, wrong);
    if (typeof value !== 'string') throw wrong('is a text');
    checkBounds(field, [...value].length, 'characters', wrong);
    if (field.format && !formats[field.format](value)) throw wrong(`is no ${formatNames[field.format]}`);
    return value;
  }
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) throw wrong('is a number');
  if (field.type === 'integer' && !Number.isInteger(number)) throw wrong('is a whole number');
  checkBounds(field, number, '', wrong);
  return number;
}

const booleans: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['yes', true],
  ['y', true],
  ['false', false],
  ['no', false],
  ['n', false],
]);

function chosen(
  { options = [] }: QuestionField,
  value: unknown,
  wrong: (what: string) => DetentError,
): string {
  const option = options.find((one) => one.value === value) ?? options.find((one) => one.title === value);
  if (!option) throw wrong(`is one of ${options.map((one) => `"${one.value}"`).join(', ')}`);
  return option.value;
}

function checkBounds(
  { min, max }: QuestionField,
  size: number,
  unit: string,
  wrong: (what: string) => DetentError,
): void {
  const of = unit && ` ${unit}`;
  if (min !== undefined && size < min) throw wrong(`is at least ${min}${of}`);
  if (max !== undefined && size > max) throw wrong(`is at most ${max}${of}`);
}

const formats: Readonly<Record<NonNullable<QuestionField['format']>, (value: string) => boolean>> = {
  email: (value) => /^[^\s@]+@[^\s@]+$/.test(value),
  uri: (value) => URL.canParse(value),
  date: (value) => /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value)),
  'date-time': (value) => /^\d{4}-\d\d-\d\d[Tt ]/.test(value) && !Number.isNaN(Date.parse(value)),
};

const formatNames: Readonly<Record<NonNullable<QuestionField['format']>, string>> = {
  email: 'e-mail address',
  uri: 'URL',
  date: 'date like 2026-01-31',
  'date-time': 'date and time like 2026-01-31T12:00:00Z',
};

function checkLength(values: readonly FieldValue[]): void {
  const chars = values.reduce<number>((sum, value) => sum + String(value).length, 0);
  if (chars > maxChars)
    throw invalidAnswer(`the answer has more than ${maxChars} characters; put it into a file and name that`);
}

function invalidAnswer(why: string): DetentError {
  return new DetentError('INVALID_ANSWER', why);
}
