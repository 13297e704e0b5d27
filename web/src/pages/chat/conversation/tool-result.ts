import { isObject, parseJson } from '#src/protocol/json.ts';
import { isUnifiedDiff } from '../../../parts/diff-rows.ts';

/** How the result of a tool is shown. */
export type ShownResult =
  | { as: 'nothing' }
  | {
      as: 'table';
      columns: readonly string[];
      rows: readonly Readonly<Record<string, unknown>>[];
      facts: string;
    }
  | { as: 'json'; value: unknown }
  | { as: 'diff'; text: string }
  | { as: 'text'; text: string };

/** Longer results are not parsed: they are shown as text, cut. */
const maxParsed = 500_000;
const maxColumns = 8;

/** What a result is, by its text: a table of rows, other JSON, a unified diff, or words. */
export function shownResult(content: string): ShownResult {
  const text = content.trim();
  if (text === '') return { as: 'nothing' };
  if (text.length <= maxParsed && /^(?:--- |diff --git |@@ )/m.test(text) && isUnifiedDiff(text))
    return { as: 'diff', text };
  if (text.length > maxParsed || !/^[[{]/.test(text)) return { as: 'text', text: content };
  const value = parseJson(text);
  if (value === undefined) return { as: 'text', text: content };
  return tableOf(value) ?? { as: 'json', value };
}

export function parseObject(text: string): Record<string, unknown> | null {
  if (text.length > maxParsed) return null;
  const value = parseJson(text);
  return isObject(value) ? value : null;
}

/** A list of objects, also as the only list of an object. */
function tableOf(value: unknown): ShownResult | null {
  const list = Array.isArray(value) ? value : onlyList(value);
  if (!list || list.length === 0 || !list.every(isRow)) return null;
  const columns = [...new Set(list.slice(0, 100).flatMap((row) => Object.keys(row)))];
  return columns.length === 0 || columns.length > maxColumns
    ? null
    : { as: 'table', columns, rows: list, facts: factsOf(value) };
}

function onlyList(value: unknown): unknown[] | null {
  if (typeof value !== 'object' || value === null) return null;
  const lists = Object.values(value).filter(Array.isArray);
  const others = Object.values(value).filter(
    (one) => typeof one === 'object' && one !== null && !Array.isArray(one),
  );
  return lists.length === 1 && others.length === 0 ? (lists[0] ?? null) : null;
}

/** The plain values beside the list: `total: 3`. */
function factsOf(value: unknown): string {
  if (Array.isArray(value)) return '';
  const plain = Object.entries(value as object).filter(([, one]) => !Array.isArray(one));
  return plain.map(([name, one]) => `${name}: ${one}`).join(', ');
}

/** An object of plain values: what has lists and objects in it is easier to read as JSON. */
function isRow(value: unknown): value is Record<string, unknown> {
  return isObject(value) && Object.values(value).every((one) => typeof one !== 'object' || one === null);
}
