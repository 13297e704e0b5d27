import type { Sentence, SentenceValue } from './fill.ts';

interface Pattern {
  code: string;
  names: string[];
  pattern: RegExp;
}

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
  let patterns: Pattern[] | undefined;
  return (text) => {
    patterns ??= Object.entries(templates()).map(([code, template]) => patternOf(code, template, words));
    for (const { code, names, pattern } of patterns) {
      const found = pattern.exec(text);
      if (!found) continue;
      const params = names.flatMap((name, i) => {
        const value = found[i + 1];
        return value === undefined ? [] : [[name, read(name, value)] as const];
      });
      return { code, params: Object.fromEntries(params) };
    }
    return null;
  };
}

function patternOf(code: string, template: string, words: Readonly<Record<string, string>>): Pattern {
  const names: string[] = [];
  const source = template
    .replace(/[.()?*+^$\\]/g, '\\$&')
    .replaceAll('[', '(?:')
    .replaceAll(']', ')?')
    // `fill` leaves the stop out after a value that has its own.
    .replace(/\\\.(?= |$)/g, '(?:\\.|(?<=[.!?…]))')
    .replace(/\{(\w+)[^}]*\}/g, (_, name: string) => `(${names.push(name) && (words[name] ?? '.+?')})`);
  return { code, names, pattern: new RegExp(`^${source}$`, 's') };
}
