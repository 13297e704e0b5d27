import type * as z from 'zod/mini';
import { type Caller, nameOfCaller } from '../../protocol/access.ts';
import { isObject } from '../../protocol/json.ts';
import { marks } from '../../protocol/methods.ts';
import { errorReasonOf, reasonForClients, type Sentence, textForClients } from '../../protocol/views.ts';
import { inEnglish } from '../../runs/views.ts';
import { Listed } from '../documents/listed.ts';
import { inClientWords, isOfOperator, type Reader, readerOf } from './client-words.ts';
import { sentenceForClients } from './sentences.ts';

/** @param self the client, as the log names it; @param of the object that has the value */
type Reading = (value: unknown, self: string, of?: Record<string, unknown>) => unknown;

/** In place of a value that the client does not get. */
export const hidden = Symbol('hidden');
/** In place of what names something of the host. */
const forOperators: Sentence = { code: 'for_operators', params: {} };

/** The answer of a method as a client reads it: its schema says what is meant for whom. */
export function answerFor(caller: Caller, output: z.core.$ZodType, answer: unknown): unknown {
  const reader = readerOf(caller);
  const self = nameOfCaller(caller);
  if (!(answer instanceof Listed)) return valueFor(reader, output, answer, self);
  const read = readingOf((output as z.ZodMiniObject).shape[answer.name] as z.core.$ZodType, reader);
  return read === null ? answer : answer.map((item) => (read([item], self) as unknown[])[0]);
}

/**
 * A value as a client reads it; the value itself if there is nothing in it that the client does not read.
 *
 * @param self the client, as the log names it
 */
export function valueFor(reader: Reader, schema: z.core.$ZodType, value: unknown, self: string): unknown {
  const read = readingOf(schema, reader);
  return read ? read(value, self) : value;
}

type Known = WeakMap<z.core.$ZodType, Reading | null>;
const known: Readonly<Record<Reader, Known>> = {
  operator: new WeakMap(),
  client: new WeakMap(),
  talker: new WeakMap(),
};

/** How a client reads values of a schema; null if as they are. */
function readingOf(schema: z.core.$ZodType, reader: Reader): Reading | null {
  const found = known[reader].get(schema);
  if (found !== undefined) return found;
  // A schema may have values of itself.
  known[reader].set(schema, (value, self, of) => known[reader].get(schema)?.(value, self, of) ?? value);
  const reading = marked(schema, reader) ?? within(schema, reader);
  known[reader].set(schema, reading);
  return reading;
}

function marked(schema: z.core.$ZodType, reader: Reader): Reading | null {
  const { reads, isInside } = marks.get(schema) ?? {};
  if (reader === 'operator') return reads === 'error' ? readReason : null;
  if (isInside && reader === 'talker') return () => hidden;
  switch (reads) {
    case 'error':
      return readError;
    case 'text':
      return readText;
    case 'sentence':
      return readSentence;
    case 'told': {
      const read = within(schema, reader);
      return (value, self) => retold(read ? read(value, self) : value);
    }
    case 'rule':
      return (value, _, of) => readRule(value, of);
    case 'json':
      return (value) => jsonInClientWords(value);
    case 'null':
      return () => null;
    case 'hidden':
      return () => hidden;
    case 'person':
      return (value, self) => (value === self ? value : hidden);
    default:
      return null;
  }
}

function within(schema: z.core.$ZodType, reader: Reader): Reading | null {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'object': {
      const fields = Object.entries(def.shape).flatMap(([name, field]) => {
        const read = readingOf(field, reader);
        return read ? [[name, read] as const] : [];
      });
      return fields.length === 0 ? null : (value, self) => readFields(value, fields, self);
    }
    case 'array':
      return each(readingOf(def.element, reader));
    case 'record':
      return eachValue(readingOf(def.valueType, reader));
    case 'union':
      return inOrder(def.options.map((option) => ofKind(option, readingOf(option, reader))));
    case 'nullable':
    case 'optional':
    case 'default':
    case 'readonly':
      return readingOf(def.innerType, reader);
    default:
      return null;
  }
}

/** Of a member of a union: reads only the values that have its literals, such as the name of an event. */
function ofKind(option: z.core.$ZodType, reading: Reading | null): Reading | null {
  const { def } = (option as z.core.$ZodTypes)._zod;
  if (!reading || def.type !== 'object') return reading;
  const literals = Object.entries(def.shape).flatMap(([name, field]) => {
    const { def: inner } = (field as z.core.$ZodTypes)._zod;
    return inner.type === 'literal' ? [[name, inner.values] as const] : [];
  });
  if (literals.length === 0) return reading;
  return (value, self) =>
    isObject(value) && literals.every(([name, values]) => values.includes(value[name] as never))
      ? reading(value, self)
      : value;
}

function readFields(value: unknown, fields: readonly (readonly [string, Reading])[], self: string): unknown {
  if (!isObject(value)) return value;
  const read = { ...value };
  for (const [name, reading] of fields) {
    if (!Object.hasOwn(read, name)) continue;
    const one = reading(read[name], self, value);
    if (one === hidden) delete read[name];
    else read[name] = one;
  }
  return read;
}

function each(reading: Reading | null): Reading | null {
  return (
    reading && ((value, self) => (Array.isArray(value) ? value.map((one) => reading(one, self)) : value))
  );
}

function eachValue(reading: Reading | null): Reading | null {
  return (
    reading &&
    ((value, self) =>
      isObject(value)
        ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, reading(one, self)]))
        : value)
  );
}

/** Of a union: what any of its members says. A field that is read otherwise means the same in all of them. */
function inOrder(readings: readonly (Reading | null)[]): Reading | null {
  const all = readings.filter((reading) => reading !== null);
  return all.length === 0
    ? null
    : (value, self, of) => all.reduce((one, reading) => reading(one, self, of), value);
}

/** An error as the operator reads it: with what its message says, by code. */
function readReason(value: unknown): unknown {
  const reason = isError(value) ? errorReasonOf(value.message) : null;
  return reason ? { ...(value as object), reason } : value;
}

function readError(value: unknown): unknown {
  if (!isError(value)) return value;
  const read = inClientWords(value);
  if (read === value) return value;
  const reason = sentenceForClients(read.code);
  return reason ? { ...read, reason } : read;
}

function isError(value: unknown): value is { code: string; message: string } {
  return isObject(value) && typeof value.code === 'string' && typeof value.message === 'string';
}

function readText(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  return isOfOperator(value) ? inEnglish(forOperators) : textForClients(value);
}

function readSentence(value: unknown): unknown {
  if (!isSentence(value)) return value;
  const { code, params } = reasonForClients(value);
  const read = (one: unknown): unknown => {
    if (typeof one === 'string') return isOfOperator(one) ? forOperators : one;
    return Array.isArray(one) ? one.map(read) : readSentence(one);
  };
  return { code, params: Object.fromEntries(Object.entries(params).map(([name, one]) => [name, read(one)])) };
}

function isSentence(value: unknown): value is Sentence {
  return isObject(value) && typeof value.code === 'string' && isObject(value.params);
}

/** Whether the words of a sentence themselves, or of one within it, are for the operator: they name a command. */
function namesHost({ code, params }: Sentence): boolean {
  return (
    isOfOperator(inEnglish({ code, params: {} })) ||
    Object.values(params).some((value) => [value].flat().some((one) => isSentence(one) && namesHost(one)))
  );
}

/** Texts in English whose sentences stand beside them, in their order: they say what the client reads of those. */
function retold(value: unknown): unknown {
  if (!isObject(value) || !isObject(value.sentences)) return value;
  const { summary, details, next, sentences } = value;
  const said = (text: unknown, sentence: unknown) =>
    isSentence(sentence) ? inEnglish(namesHost(sentence) ? forOperators : sentence) : text;
  const each = (texts: unknown, of: unknown, one: (text: unknown, sentence: unknown) => unknown) =>
    Array.isArray(texts) && Array.isArray(of) ? texts.map((text, i) => one(text, of[i])) : texts;
  return {
    ...value,
    summary: said(summary, sentences.summary),
    details: each(details, sentences.details, said),
    next: each(next, sentences.next, (one, sentence) =>
      isObject(one) ? { ...one, text: said(one.text, sentence) } : one,
    ),
  };
}

function readRule(value: unknown, of: { asIs?: unknown } = {}): unknown {
  return typeof value === 'string' && of.asIs !== true ? textForClients(value) : value;
}

/** Values that have no schema of their own: events and contexts of machines, whose errors are in fields of that name. */
export function jsonInClientWords(value: unknown, isOfError = false): unknown {
  if (isOfError && typeof value === 'string') return readText(value);
  if (Array.isArray(value)) return value.map((one) => jsonInClientWords(one, isOfError));
  if (!isObject(value)) return value;
  if ((isOfError || value.type === 'run.faulted') && typeof value.message === 'string')
    return readError({ code: '', ...value });
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name,
      name === 'why' ? readRule(one, value) : jsonInClientWords(one, isOfError || isNameOfError(name)),
    ]),
  );
}

function isNameOfError(name: string): boolean {
  return /(?:^|\.)error(?:\.|$)/.test(name);
}
