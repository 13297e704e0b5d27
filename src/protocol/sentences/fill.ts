/** A sentence in no language: which one it is, and what it speaks of. */
export interface Sentence {
  code: string;
  params: Readonly<Record<string, SentenceValue>>;
}

export type SentenceValue = string | number | Sentence | readonly Sentence[];

/** How a language writes values. */
export interface Wording {
  /** A duration in milliseconds. */
  duration(ms: number): string;
  /** A time in milliseconds since the epoch. */
  time(at: number): string;
  /** When something happens, by the milliseconds until then: `in 5 min`, `now`. */
  due(ms: number): string;
  /** The status of a run. */
  status(status: string): string;
  /** Between the sentences of a list. */
  separator: string;
  /** A sentence within another. */
  sentence(sentence: Sentence): string;
}

/** Writes a template that has only names: `{tool}`. Names without a value are left out. */
export function withValues(template: string, params: Readonly<Record<string, string | number>>): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => String(params[name] ?? ''));
}

const optional = /\[([^\]]*)\]/g;
const hole = /\{(\w+)(?::([^}]*))?\}([.。](?=\s|$|[^\w\s]))?/g;
const ended = /[.!?…。！？]$/;

/**
 * Writes a sentence from its template: `{name}` stands for a value, `{name:duration}` for one that the language writes its
 * own way, `{n:once|twice|# times}` for a word that depends on a count. What stands in brackets is left out unless each
 * of its values is there. A value that ends in a stop of its own gets no second one.
 */
export function fill(template: string, params: Sentence['params'], wording: Wording): string {
  return template
    .replaceAll(optional, (_, part: string) =>
      [...part.matchAll(hole)].every(([, name = '']) => has(params, name)) ? part : '',
    )
    .replaceAll(hole, (_, name: string, form = '', stop = '') => {
      const text = has(params, name) ? written(params[name] ?? '', form, wording) : '';
      return ended.test(text) ? text : text + stop;
    });
}

/** Whether each value that a template needs is there. */
export function hasValues(template: string, params: Sentence['params']): boolean {
  return [...template.replaceAll(optional, '').matchAll(hole)].every(([, name = '']) => has(params, name));
}

function has(params: Sentence['params'], name: string): boolean {
  const value = Object.hasOwn(params, name) ? params[name] : undefined;
  return value !== undefined && !(Array.isArray(value) && value.length === 0);
}

function written(value: SentenceValue, form: string, wording: Wording): string {
  if (typeof value === 'string') return form === 'status' ? wording.status(value) : value;
  if (typeof value !== 'number') return joined([value].flat().map(wording.sentence), wording);
  if (form === 'duration' || form === 'time' || form === 'due') return wording[form](value);
  if (!form.includes('|')) return String(value);
  const forms = form.split('|');
  return (forms[value - 1] ?? forms.at(-1) ?? '').replaceAll('#', String(value));
}

function joined(sentences: readonly string[], { separator }: Wording): string {
  return sentences.reduce((all, next) => all + (ended.test(all) ? ' ' : separator) + next);
}
