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
  return (text) => {
    patterns ??= Object.entries(templates()).map(([code, template]) => [code, patternOf(template, words)]);
    for (const [code, pattern] of patterns) {
      const found = pattern.exec(text);
      if (!found) continue;
      const values = Object.entries(found.groups ?? {}).filter(([, value]) => value);
      return { code, params: Object.fromEntries(values.map(([name, value]) => [name, read(name, value)])) };
    }
    return null;
  };
}

function patternOf(template: string, words: Readonly<Record<string, string>>): RegExp {
  const source = template
    .replace(/[.()?*+^$\\]/g, '\\$&')
    .replaceAll('[', '(?:')
    .replaceAll(']', ')?')
    // `fill` leaves the stop out after a value that has its own.
    .replace(/\\\.(?= |$)/g, '(?:\\.|(?<=[.!?…]))')
    .replace(/\{(\w+)[^}]*\}/g, (_, name: string) => `(?<${name}>${words[name] ?? '.+?'})`);
  return new RegExp(`^${source}$`, 's');
}
