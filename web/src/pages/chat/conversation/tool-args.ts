import { parseObject } from './tool-result.ts';

/** Arguments whose name says nothing that the tool's own does not. */
const plain = new Set([
  'path',
  'file',
  'url',
  'query',
  'queries',
  'command',
  'prompt',
  'expression',
  'name',
  'pattern',
]);
const maxShort = 120;

/** A call's arguments in a few words: `orders.md`, `days: 7, by: sku`. */
export function shortArguments(raw: string): string {
  const parsed = parseObject(raw);
  if (parsed === null) return raw.trim() === '{}' ? '' : raw.slice(0, maxShort);
  const words = Object.entries(parsed).flatMap(([name, value]) => {
    if (value === null || value === undefined || value === '') return [];
    const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
    const short = text.length > 60 ? `${text.slice(0, 58)}…` : text;
    return [plain.has(name) ? short : `${name}: ${short}`];
  });
  return words.join(', ').replaceAll(/\s+/g, ' ').slice(0, maxShort);
}
