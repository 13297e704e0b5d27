import { isObject } from '#src/protocol/json.ts';
import { fits, isSame, type Shape, shapeOf } from './shape.ts';
import { t } from './words.ts';

/**
 * What a person has entered so far. Figures and JSON are the text in their input, which need not be valid yet; undefined is a value
 * that is left out.
 */
export type Draft =
  | undefined
  | { kind: 'text'; text: string }
  | { kind: 'number'; text: string }
  | { kind: 'json'; text: string }
  | { kind: 'boolean'; isOn: boolean }
  | { kind: 'null' }
  | { kind: 'choice'; at: number }
  | { kind: 'choices'; chosen: readonly number[] }
  | { kind: 'list'; items: readonly { shape: Shape; draft: Draft }[] }
  | { kind: 'object'; fields: Readonly<Record<string, Draft>> }
  | { kind: 'union'; at: number; draft: Draft };

/** What is wrong with an input, by the path of its field: `address.street`, `items.0`. */
export type Problems = Readonly<Record<string, string>>;

/** The draft of a value; of none, the empty inputs of what is required. */
export function draftOf(shape: Shape, value: unknown, isRequired = true): Draft {
  if (value === undefined) return isRequired ? emptyDraft(shape) : undefined;
  switch (shape.kind) {
    case 'text':
      return { kind: 'text', text: String(value) };
    case 'number':
      return { kind: 'number', text: String(value) };
    case 'boolean':
      return { kind: 'boolean', isOn: value === true };
    case 'null':
      return { kind: 'null' };
    case 'choice':
      return { kind: 'choice', at: shape.options.findIndex((one) => isSame(one.value, value)) };
    case 'choices': {
      const list = value as unknown[];
      const isChosen = (at: number) => list.some((one) => isSame(one, shape.options[at]?.value));
      return { kind: 'choices', chosen: [...shape.options.keys()].filter(isChosen) };
    }
    case 'list':
      return { kind: 'list', items: (value as unknown[]).map((one) => itemOf(shape, one)) };
    case 'object': {
      const given = value as Record<string, unknown>;
      const entries = shape.fields.map((field) => [
        field.name,
        draftOf(
          field.shape,
          Object.hasOwn(given, field.name) ? given[field.name] : undefined,
          field.isRequired,
        ),
      ]);
      return { kind: 'object', fields: Object.fromEntries(entries) };
    }
    case 'union': {
      const at = shape.variants.findIndex((variant) => fits(variant.shape, value));
      const variant = shape.variants[at];
      return { kind: 'union', at, draft: variant && draftOf(variant.shape, value) };
    }
    case 'json':
      return { kind: 'json', text: JSON.stringify(value, null, 2) };
  }
}

/** The inputs of a new value of this shape, with the defaults of its fields. */
export function emptyDraft(shape: Shape): Draft {
  switch (shape.kind) {
    case 'text':
    case 'number':
    case 'json':
      return { kind: shape.kind, text: '' };
    case 'boolean':
      return { kind: 'boolean', isOn: false };
    case 'null':
      return { kind: 'null' };
    case 'choice':
      return shape.options.length === 1 ? { kind: 'choice', at: 0 } : undefined;
    case 'choices':
      return { kind: 'choices', chosen: [] };
    case 'list':
      return { kind: 'list', items: [] };
    case 'object': {
      const entries = shape.fields.map((field) => [
        field.name,
        draftOf(field.shape, field.default, field.isRequired),
      ]);
      return { kind: 'object', fields: Object.fromEntries(entries) };
    }
    case 'union':
      return { kind: 'union', at: 0, draft: shape.variants[0] && emptyDraft(shape.variants[0].shape) };
  }
}

/** A new entry of a list, or the entry of a value. */
export function itemOf(shape: Shape & { kind: 'list' }, value?: unknown): { shape: Shape; draft: Draft } {
  const inner = shapeOf(shape.item, value, shape.root, 1);
  return { shape: inner, draft: draftOf(inner, value) };
}

interface Reading {
  /** Whether an empty text is meant, as that of arguments that a model wrote; else one that is required counts as missing. */
  mayBeEmpty?: boolean;
}

/** The value of a draft, and what is wrong with it: none if there are no problems. A schema with a `minLength` decides on empty texts itself. */
export function readDraft(
  shape: Shape,
  draft: Draft,
  { mayBeEmpty = false }: Reading = {},
): { value: unknown; problems: Problems } {
  const problems: Record<string, string> = {};
  const value = read(shape, draft, '', true, { problems, mayBeEmpty });
  return { value, problems };
}

function read(
  shape: Shape,
  draft: Draft,
  path: string,
  isRequired: boolean,
  into: { problems: Record<string, string>; mayBeEmpty: boolean },
): unknown {
  const wrong = (words: string | null) => {
    if (words !== null) into.problems[path] = words;
  };
  const inner = (name: string | number) => (path === '' ? String(name) : `${path}.${name}`);
  if (draft === undefined) {
    if (isRequired) wrong(t.required);
    return undefined;
  }
  switch (draft.kind) {
    case 'text': {
      const text = shape as Shape & { kind: 'text' };
      const isMissing = isRequired && !into.mayBeEmpty && text.minLength === undefined;
      wrong(isMissing && draft.text.trim() === '' ? t.required : textProblem(text, draft.text));
      return draft.text;
    }
    case 'number': {
      if (draft.text.trim() === '') {
        if (isRequired) wrong(t.required);
        return undefined;
      }
      const value = Number(draft.text);
      wrong(numberProblem(shape as Shape & { kind: 'number' }, value));
      return value;
    }
    case 'json':
      if (draft.text.trim() === '') {
        if (isRequired) wrong(t.required);
        return undefined;
      }
      try {
        return JSON.parse(draft.text) as unknown;
      } catch (error) {
        wrong(t.notJson(error instanceof Error ? error.message : String(error)));
        return undefined;
      }
    case 'boolean':
      return draft.isOn;
    case 'null':
      return null;
    case 'choice':
      return (shape as Shape & { kind: 'choice' }).options[draft.at]?.value;
    case 'choices': {
      const { options, ...bounds } = shape as Shape & { kind: 'choices' };
      wrong(countProblem(bounds, draft.chosen.length));
      return draft.chosen.map((at) => options[at]?.value);
    }
    case 'list':
      wrong(countProblem(shape as Shape & { kind: 'list' }, draft.items.length));
      return draft.items.map((item, at) => read(item.shape, item.draft, inner(at), true, into));
    case 'object': {
      const entries = (shape as Shape & { kind: 'object' }).fields.flatMap((field) => {
        const value = read(field.shape, draft.fields[field.name], inner(field.name), field.isRequired, into);
        return value === undefined ? [] : [[field.name, value] as const];
      });
      return Object.fromEntries(entries);
    }
    case 'union': {
      const variant = (shape as Shape & { kind: 'union' }).variants[draft.at];
      const isNeeded = isRequired || variant?.shape.kind !== 'text';
      return variant && read(variant.shape, draft.draft, path, isNeeded, into);
    }
  }
}

function textProblem(
  { minLength = 0, maxLength, pattern, format }: Shape & { kind: 'text' },
  text: string,
): string | null {
  const length = Array.from(text).length;
  if (length < minLength) return minLength === 1 ? t.required : t.tooShort(minLength);
  if (maxLength !== undefined && length > maxLength) return t.tooLong(maxLength);
  if (pattern !== undefined && !hasPattern(text, pattern)) return t.noMatch(pattern);
  return format !== undefined && !hasFormat(text, format) ? t.noFormat(format) : null;
}

/** Patterns come from the servers of tools: one that can take for ever is left to the gateway, and so is one that is none. */
function hasPattern(text: string, pattern: string): boolean {
  if (/\)[*+{]/.test(pattern)) return true;
  try {
    return new RegExp(pattern, 'u').test(text);
  } catch {
    return true;
  }
}

const formats: Readonly<Record<string, RegExp>> = {
  email: /^[^\s@]+@[^\s@]+\.[^\s@]+$/,
  uri: /^[a-z][a-z\d+.-]*:\S+$/i,
  date: /^\d{4}-\d\d-\d\d$/,
  'date-time': /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?$/i,
};

function hasFormat(text: string, format: string): boolean {
  return !Object.hasOwn(formats, format) || text === '' || (formats[format]?.test(text) ?? true);
}

function numberProblem(shape: Shape & { kind: 'number' }, value: number): string | null {
  const { isInteger, min, max, above, below, step } = shape;
  if (!Number.isFinite(value)) return t.notNumber;
  if (isInteger && !Number.isInteger(value)) return t.notInteger;
  if (min !== undefined && value < min) return t.tooSmall(min);
  if (max !== undefined && value > max) return t.tooLarge(max);
  if (above !== undefined && value <= above) return t.notAbove(above);
  if (below !== undefined && value >= below) return t.notBelow(below);
  const steps = step === undefined || step <= 0 ? 0 : value / step;
  return Math.abs(steps - Math.round(steps)) > 1e-9 ? t.noMultiple(step ?? 1) : null;
}

function countProblem(
  { minItems = 0, maxItems }: { minItems?: number; maxItems?: number },
  count: number,
): string | null {
  if (count < minItems) return t.tooFew(minItems);
  return maxItems !== undefined && count > maxItems ? t.tooMany(maxItems) : null;
}

/** Whether two drafts say the same: for what a person has changed. */
export function isSameDraft(one: Draft, other: Draft): boolean {
  return isSame(bare(one), bare(other));
}

/** Without the shapes of a list's entries, which follow from its values. */
function bare(draft: Draft): unknown {
  if (draft?.kind === 'list') return draft.items.map((item) => bare(item.draft));
  if (draft?.kind === 'object')
    return Object.fromEntries(Object.entries(draft.fields).map(([name, inner]) => [name, bare(inner)]));
  return draft?.kind === 'union' ? [draft.at, bare(draft.draft)] : isObject(draft) ? { ...draft } : null;
}
