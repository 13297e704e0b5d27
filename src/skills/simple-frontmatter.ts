import { tooMuchIn } from './frontmatter-size.ts';

/** A field of frontmatter: text, a list of texts, texts by name, or JSON of these. */
export type SimpleValue = string | SimpleValue[] | { [key: string]: SimpleValue };

/** The lines below a key, all with the indentation of the first one. */
type Below =
  | { kind: 'list'; indent: string; items: string[] }
  | { kind: 'map'; indent: string; pairs: Map<string, string> }
  | { kind: 'text'; lines: string[] }
  | Block;
/** `>` folds its lines into one, `|` keeps them; `-` removes the last line end. */
type Block = { kind: 'block'; mark: string; indent: string | null; lines: string[] };

/**
 * A fast parser for simple frontmatter: `key: text`, texts of several lines, lists and maps of one level below a key, and
 * JSON of texts. Null for anything else, which the YAML library parses. It accepts only what YAML reads in the same way.
 * It has to be fast, because a start with a thousand skills parses a thousand of them.
 */
export function simpleFrontmatter(yaml: string): Record<string, SimpleValue> | null {
  if (tooMuchIn(yaml) !== null) return null;
  const fields = new Map<string, SimpleValue>();
  let open: { key: string; below: Below | null } | null = null;
  const close = (): boolean => {
    if (!open) return true;
    const { key, below } = open;
    open = null;
    const value = below && textBelow(below);
    // A key without a value is null in YAML; rare, so leave it to the library.
    if (value === null) return false;
    fields.set(key, value);
    return true;
  };
  for (const line of yaml.split('\n')) {
    if (line.startsWith(' ') || line.startsWith('- ')) {
      if (!open) return null;
      open.below = withLine(open.below, line);
      if (!open.below) return null;
      continue;
    }
    if (line === '') {
      if (open?.below?.kind === 'block') open.below.lines.push('');
      // A text that continues on the next line contains a line end.
      else if (open?.below?.kind === 'text' && !close()) return null;
      continue;
    }
    const [, key, written] = /^([A-Za-z][\w-]*):(?: +(.*))?$/.exec(line) ?? [];
    if (key === undefined || !close() || fields.has(key)) return null;
    const mark = /^[>|]-?$/.exec(written ?? '')?.[0];
    if (written === undefined || written === '') open = { key, below: null };
    else if (mark) open = { key, below: { kind: 'block', mark, indent: null, lines: [] } };
    else if (isPlain(written)) open = { key, below: { kind: 'text', lines: [written.trimEnd()] } };
    else {
      const value = /^[[{]/.test(written) ? jsonOfTexts(written) : scalar(written);
      if (value === null) return null;
      fields.set(key, value);
    }
  }
  return close() ? Object.fromEntries(fields) : null;
}

/** `below` with one more line; null when the line does not continue it in the simplest way. */
function withLine(below: Below | null, line: string): Below | null {
  if (below?.kind === 'block') return withBlockLine(below, line);
  if (below?.kind === 'text') {
    const text = line.trim();
    if (!line.startsWith(' ') || !isPlain(text)) return null;
    below.lines.push(text);
    return below;
  }
  const [, margin = '', item] = /^( *)- (\S.*)$/.exec(line) ?? [];
  if (item !== undefined) {
    const value = scalar(item);
    const list = below ?? { kind: 'list', indent: margin, items: [] };
    if (value === null || list.kind !== 'list' || list.indent !== margin) return null;
    list.items.push(value);
    return list;
  }
  const [, indent = '', key, written = ''] = /^( +)([A-Za-z][\w-]*): +(\S.*)$/.exec(line) ?? [];
  const value = scalar(written);
  if (key === undefined || value === null) return null;
  const map = below ?? { kind: 'map', indent, pairs: new Map<string, string>() };
  if (map.kind !== 'map' || map.indent !== indent || map.pairs.has(key)) return null;
  map.pairs.set(key, value);
  return map;
}

function withBlockLine(block: Block, line: string): Block | null {
  const [, indent = '', text] = /^( +)(\S(?:.*\S)?)$/.exec(line) ?? [];
  if (text === undefined || /\p{Cc}/u.test(text)) return null;
  // The first line sets the indentation of the block; YAML does not fold lines that are indented further.
  if (block.indent === null && block.lines.length > 0) return null;
  block.indent ??= indent;
  if (block.indent !== indent) return null;
  block.lines.push(text);
  return block;
}

function textBelow(below: Below): SimpleValue | null {
  if (below.kind === 'text') return below.lines.join(' ');
  if (below.kind === 'list') return below.items;
  if (below.kind === 'map') return Object.fromEntries(below.pairs);
  const text = below.lines.join('\n').replace(/\n+$/, '');
  if (text === '') return null;
  const shown = below.mark.startsWith('>') ? text.replace(/\n+/g, folded) : text;
  return `${shown}${below.mark.endsWith('-') ? '' : '\n'}`;
}

/** YAML folding: a single line end becomes a space; of several, one is dropped. */
function folded(ends: string): string {
  return ends.length === 1 ? ' ' : ends.slice(1);
}

/** A text without YAML syntax; null when in doubt. */
function scalar(written: string): string | null {
  const text = written.replace(/ +$/, '');
  // JSON's escapes mean the same in YAML.
  if (/^"(?:[^"\\\p{Cc}]|\\["\\/bfnrt])*"$/u.test(text)) return JSON.parse(text) as string;
  const [, single] = /^'((?:[^'\p{Cc}]|'')*)'$/u.exec(text) ?? [];
  if (single !== undefined) return single.replaceAll("''", "'");
  return isPlain(text) ? text : null;
}

/** Whether a text is a plain YAML scalar, on one line or at the beginning of several. */
function isPlain(written: string): boolean {
  const text = written.replace(/ +$/, '');
  // Most texts are ASCII, and that check is several times faster.
  const isText =
    /^[A-Za-z0-9/(.][ -~]*$/.test(text) || /^[\p{L}\p{N}/(.][^\p{Cc}\u2028\u2029\ufeff]*$/u.test(text);
  return isText && !/ #|: |:$|^\.\.\./.test(text) && !/^(null|Null|NULL)$/.test(text);
}

const maxKeyChars = 1_000;

/** Parses JSON of texts only, because our YAML mode reads numbers and literals as texts. Null when in doubt. */
function jsonOfTexts(written: string): SimpleValue | null {
  // YAML refuses long keys and duplicate keys; JSON.parse would take the last of two.
  if (written.length > maxKeyChars || /\\u|__proto__|[^\P{Cc}]/u.test(written)) return null;
  try {
    const value: unknown = JSON.parse(written);
    const keys = written.match(/"(?:[^"\\]|\\.)*" *:/g)?.length ?? 0;
    return isOfTexts(value) && keysIn(value) === keys ? value : null;
  } catch {
    return null;
  }
}

function isOfTexts(value: unknown): value is SimpleValue {
  if (typeof value === 'string') return true;
  return typeof value === 'object' && value !== null && Object.values(value).every(isOfTexts);
}

function keysIn(value: SimpleValue): number {
  if (typeof value === 'string') return 0;
  const inner = Object.values(value).reduce((sum: number, each) => sum + keysIn(each), 0);
  return Array.isArray(value) ? inner : inner + Object.keys(value).length;
}
