import { tooMuchIn } from './frontmatter-size.ts';

/** A field of frontmatter: text, a list of texts, texts by name, or JSON of these. */
export type SimpleValue = string | SimpleValue[] | { [key: string]: SimpleValue };

/** What stands below a key, all of it as far from the margin as its first line. */
type Below =
  | { kind: 'list'; indent: string; items: string[] }
  | { kind: 'map'; indent: string; pairs: Map<string, string> }
  | { kind: 'text'; lines: string[] }
  | Block;
/** `>` folds its lines into one, `|` keeps them; `-` takes the last line end away. */
type Block = { kind: 'block'; mark: string; indent: string | null; lines: string[] };

/**
 * Reads frontmatter that is written in a simple way: `key: text`, texts of several lines, lists and maps of one level below a
 * key, and JSON of texts. Null for anything else, which is for the YAML library. It takes nothing that YAML would read otherwise, and
 * it is quick: a start with a thousand skills reads a thousand of them.
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
    // A key with nothing below it is null, which is rare enough.
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
      // What would go on below has a line end in it.
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

/** What is there, with the line; null when it does not go on with it in the simplest way. */
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
  // Its first line says how far all of it is from the margin; lines that are farther are not folded.
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

/** One line end is a space, and of more one is lost. */
function folded(ends: string): string {
  return ends.length === 1 ? ' ' : ends.slice(1);
}

/** Text without a mark that means something to YAML; null when that is not sure. */
function scalar(written: string): string | null {
  const text = written.replace(/ +$/, '');
  // What JSON has of escapes means the same here.
  if (/^"(?:[^"\\\p{Cc}]|\\["\\/bfnrt])*"$/u.test(text)) return JSON.parse(text) as string;
  const [, single] = /^'((?:[^'\p{Cc}]|'')*)'$/u.exec(text) ?? [];
  if (single !== undefined) return single.replaceAll("''", "'");
  return isPlain(text) ? text : null;
}

/** Whether it is text as it stands, on a line or at the beginning of one that goes on below. */
function isPlain(written: string): boolean {
  const text = written.replace(/ +$/, '');
  // Most is ASCII, and that is found out several times as fast.
  const isText =
    /^[A-Za-z0-9/(.][ -~]*$/.test(text) || /^[\p{L}\p{N}/(.][^\p{Cc}\u2028\u2029\ufeff]*$/u.test(text);
  return isText && !/ #|: |:$|^\.\.\./.test(text) && !/^(null|Null|NULL)$/.test(text);
}

const maxKeyChars = 1_000;

/** JSON without numbers and the like, which YAML here has as texts. Null when it is something else, or may be. */
function jsonOfTexts(written: string): SimpleValue | null {
  // Keys that YAML would refuse: long ones, and the same twice, of which JSON takes the last.
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
