/** A field of frontmatter: text, a list of texts, or texts by name. */
export type SimpleValue = string | string[] | Record<string, string>;

/** What stands below a key. */
type Below = { kind: 'list'; items: string[] } | { kind: 'map'; pairs: Map<string, string> } | Block;
/** `>` folds its lines into one, `|` keeps them; `-` takes the last line end away. */
type Block = { kind: 'block'; mark: string; lines: string[] };

/**
 * Reads frontmatter that is written in a simple way: `key: text`, and texts of several lines, lists and maps of one level
 * below a key. Null for anything else, which is for the YAML library. It takes nothing that YAML would read otherwise, and
 * it is quick: a start with a thousand skills reads a thousand of them.
 */
export function simpleFrontmatter(yaml: string): Record<string, SimpleValue> | null {
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
    if (line.startsWith(' ')) {
      if (!open) return null;
      open.below = withLine(open.below, line);
      if (!open.below) return null;
      continue;
    }
    if (line === '' && open?.below?.kind !== 'block') continue;
    const [, key, written] = /^([A-Za-z][\w-]*):(?: +(.*))?$/.exec(line) ?? [];
    if (key === undefined || !close() || fields.has(key)) return null;
    const mark = /^[>|]-?$/.exec(written ?? '')?.[0];
    if (written === undefined || written === '') open = { key, below: null };
    else if (mark) open = { key, below: { kind: 'block', mark, lines: [] } };
    else {
      const value = written === '[]' ? [] : scalar(written);
      if (value === null) return null;
      fields.set(key, value);
    }
  }
  return close() ? Object.fromEntries(fields) : null;
}

/** Null when the line does not go on with what is there in the simplest way. */
function withLine(below: Below | null, line: string): Below | null {
  if (below?.kind === 'block') {
    const [, text] = /^ {2}(\S(?:.*\S)?)$/.exec(line) ?? [];
    if (text === undefined || /\p{Cc}/u.test(text)) return null;
    return { ...below, lines: [...below.lines, text] };
  }
  const [, item] = /^ {2}- (\S.*)$/.exec(line) ?? [];
  if (item !== undefined) {
    const value = scalar(item);
    if (value === null || below?.kind === 'map') return null;
    return { kind: 'list', items: [...(below?.items ?? []), value] };
  }
  const [, key, written = ''] = /^ {2}([A-Za-z][\w-]*): +(\S.*)$/.exec(line) ?? [];
  const value = scalar(written);
  if (key === undefined || value === null || below?.kind === 'list' || below?.pairs.has(key)) return null;
  return { kind: 'map', pairs: new Map([...(below?.pairs ?? []), [key, value]]) };
}

function textBelow(below: Below): SimpleValue | null {
  if (below.kind === 'list') return below.items;
  if (below.kind === 'map') return Object.fromEntries(below.pairs);
  const { mark, lines } = below;
  if (lines.length === 0) return null;
  return `${lines.join(mark.startsWith('>') ? ' ' : '\n')}${mark.endsWith('-') ? '' : '\n'}`;
}

/** Text without a mark that means something to YAML; null when that is not sure. */
function scalar(written: string): string | null {
  const text = written.replace(/ +$/, '');
  // What JSON has of escapes means the same here.
  if (/^"(?:[^"\\\p{Cc}]|\\["\\/bfnrt])*"$/u.test(text)) return JSON.parse(text) as string;
  const [, single] = /^'((?:[^'\p{Cc}]|'')*)'$/u.exec(text) ?? [];
  if (single !== undefined) return single.replaceAll("''", "'");
  const isPlain = /^[\p{L}\p{N}/(.][^\p{Cc}\u2028\u2029\ufeff]*$/u.test(text);
  if (!isPlain || / #|: |:$|^\.\.\./.test(text) || /^(null|Null|NULL)$/.test(text)) return null;
  return text;
}
