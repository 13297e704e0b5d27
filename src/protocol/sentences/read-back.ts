import type { Sentence, SentenceValue } from './fill.ts';

/**
 * Reads sentences back from the English that `fill` wrote of their templates.
 *
 * @param words what a value looks like, as the source of a regular expression; any text where nothing is said
 * @param read what a value stands for: a sentence in it, or the text itself
 * @returns a function that gives the sentence of a text, or null for words that no template wrote
 */
export function readBack(
  templates: () => Readonly<Record<string, string>>,
  words: Readonly<Record<string, string>>,
  read: (name: string, value: string) => SentenceValue,
): (text: string) => Sentence | null {
  // Most programs never read one.
  let patterns: (readonly [code: string, pattern: RegExp])[] | undefined;
  const sentenceOf = (text: string): Sentence | null => {
    patterns ??= Object.entries(templates()).map(([code, template]) => [code, patternOf(template, words)]);
    for (const [code, pattern] of patterns) {
      const found = pattern.exec(text);
      if (!found) continue;
      const values = Object.entries(found.groups ?? {}).filter(([, value]) => value);
      return { code, params: Object.fromEntries(values.map(([name, value]) => [name, read(name, value)])) };
    }
    return null;
  };
  // Each call of a tool has the same reason: to look for it takes longer than all else that a view reads of the call.
  const known = new Map<string, Sentence | null>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const sentence = sentenceOf(text);
    if (text.length > maxKeptChars) return sentence;
    if (known.size >= maxKept) known.clear();
    known.set(text, sentence);
    return sentence;
  };
}

/** Texts that are kept with their sentences. */
const maxKept = 500;
const maxKeptChars = 500;

function patternOf(template: string, words: Readonly<Record<string, string>>): RegExp {
  const source = template
    .replace(/[.()?*+^$\\]/g, '\\$&')
    .replaceAll('[', '(?:')
    .replaceAll(']', ')?')
    // `fill` leaves the stop out after a value that has its own.
    .replace(/\\\.(?= |$)/g, '(?:\\.|(?<=[.!?…]))')
    .replace(/\{(\w+)[^}]*\}/g, (_, name: string, at: number, whole: string) =>
      whole.slice(0, at).includes(`{${name}}`) ? `\\k<${name}>` : `(?<${name}>${words[name] ?? '.+?'})`,
    );
  return new RegExp(`^${source}$`, 's');
}
