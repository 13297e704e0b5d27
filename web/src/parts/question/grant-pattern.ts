import { isObject } from '#src/protocol/json.ts';
import type { Tool } from '../../data/answers.ts';
import { visible } from '../visible.ts';
import { t } from './words.ts';

/** What one field of later calls must be. */
type GrantTest = { is: unknown } | { any: true };

export type GrantPattern = Readonly<Record<string, GrantTest>>;

/**
 * Which later calls of the session an approval covers. The page sends exactly what it shows: calls that agree in the fields that the
 * tool holds (`grantBy`), or in all of them.
 */
export function grantPattern(
  args: unknown,
  tool: Pick<Tool, 'grantBy' | 'parameters'> | undefined,
): GrantPattern {
  const given = isObject(args) ? args : {};
  const held = tool?.grantBy;
  const names = held ? held.filter((name) => Object.hasOwn(given, name)) : Object.keys(given);
  const exact = names.map((name) => [name, { is: given[name] }] as const);
  const known = isObject(tool?.parameters.properties) ? Object.keys(tool.parameters.properties) : [];
  const free = held ? known.filter((name) => !held.includes(name)) : [];
  return Object.fromEntries([...exact, ...free.map((name) => [name, { any: true }] as const)]);
}

const maxChars = 60;
const maxWords = 200;

/** The same in words: `write_file, path “notes.md”, any content`. Where they would be many: exactly the arguments that are shown. */
export function grantInWords(name: string, pattern: GrantPattern): string {
  const tests = Object.entries(pattern);
  if (tests.length === 0) return t.grantNoArguments(name);
  const parts = tests.map(([field, test]) =>
    'any' in test ? t.grantAny(visible(field)) : t.grantIs(visible(field), inOneLine(test.is)),
  );
  const words = t.grantOf(name, parts);
  const isExact = tests.every(([, test]) => 'is' in test);
  return isExact && words.length > maxWords ? t.grantExact(name) : words;
}

function inOneLine(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const characters = Array.from(visible(text.slice(0, maxChars * 8)).replaceAll('\n', '↵'));
  const isCut = characters.length > maxChars;
  return isCut ? `${characters.slice(0, maxChars).join('')}…` : characters.join('');
}
