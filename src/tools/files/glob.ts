type Token = 'star' | 'one' | ((character: string) => boolean);

/** Whether a path, split at its slashes, matches a pattern. */
export type PathMatcher = (segments: readonly string[]) => boolean;

const maxAlternatives = 64;

/**
 * Compiles a glob as people write them on a command line: `*`, `?`, `[a-z]`, `**` for any number of folders,
 * `{a,b}` for alternatives. Without a slash it is about names in every folder; files that begin with a dot are files
 * like all others.
 *
 * Matching takes time in proportion to pattern times path, whatever both are: patterns come from models and from files
 * of the workspace, and a regular expression made of `*a*a*a*a*b` would hang.
 */
export function globMatcher(glob: string): PathMatcher {
  const matchers = alternatives(glob).map((pattern) => {
    const path = pattern.replace(/^(\.?\/)+/, '');
    return pathMatcher(path.includes('/') || path !== pattern ? path : `**/${path}`);
  });
  return (segments) => matchers.some((matches) => matches(segments));
}

/** Compiles a pattern without alternatives, from its first segment to its last. */
export function pathMatcher(pattern: string): PathMatcher {
  const written = pattern.split('/').filter((segment) => segment !== '');
  // `a/**` is what is in a, not a itself.
  const segments = written.at(-1) === '**' ? [...written, '*'] : written;
  const parts = segments.map((segment) => (segment === '**' ? 'star' : segmentMatcher(segment)));
  return (path) => wildcard(parts, path, (part, segment) => part(segment));
}

function segmentMatcher(segment: string): (name: string) => boolean {
  const tokens = tokensOf(segment);
  if (tokens === null) return () => false;
  return (name) => wildcard(tokens, [...name], (token, character) => token === 'one' || token(character));
}

/**
 * Matches a list against parts of which `star` stands for any number of items: one way back at most, to the last star.
 */
function wildcard<Part, Item>(
  parts: readonly (Part | 'star')[],
  items: readonly Item[],
  fits: (part: Exclude<Part, 'star'>, item: Item) => boolean,
): boolean {
  let part = 0;
  let item = 0;
  let star = -1;
  let resume = 0;
  while (item < items.length) {
    const next = parts[part];
    if (next === 'star') {
      star = part++;
      resume = item;
    } else if (part < parts.length && fits(next as Exclude<Part, 'star'>, items[item] as Item)) {
      part += 1;
      item += 1;
    } else if (star >= 0) {
      part = star + 1;
      item = ++resume;
    } else return false;
  }
  while (parts[part] === 'star') part += 1;
  return part === parts.length;
}

/** Null for a pattern that can match nothing: a `[` or a `\` that is not ended. */
function tokensOf(segment: string): Token[] | null {
  const characters = [...segment];
  const tokens: Token[] = [];
  for (let i = 0; i < characters.length; i++) {
    const character = characters[i];
    if (character === '*') {
      if (tokens.at(-1) !== 'star') tokens.push('star');
    } else if (character === '?') tokens.push('one');
    else if (character === '\\') {
      const escaped = characters[++i];
      if (escaped === undefined) return null;
      tokens.push((other) => other === escaped);
    } else if (character === '[') {
      const set = setAt(characters, i);
      if (set === null) return null;
      tokens.push(set.has);
      i = set.end;
    } else tokens.push((other) => other === character);
  }
  return tokens;
}

const classes: Readonly<Record<string, RegExp>> = {
  alnum: /[A-Za-z0-9]/,
  alpha: /[A-Za-z]/,
  blank: /[ \t]/,
  digit: /[0-9]/,
  lower: /[a-z]/,
  punct: /[!-/:-@[-`{-~]/,
  space: /\s/,
  upper: /[A-Z]/,
  xdigit: /[0-9A-Fa-f]/,
};

/** The set that begins at `[`, and where its `]` is. */
function setAt(
  characters: readonly string[],
  start: number,
): { has: (character: string) => boolean; end: number } | null {
  let i = start + 1;
  const isNegated = characters[i] === '!' || characters[i] === '^';
  if (isNegated) i += 1;
  const members: ((character: string) => boolean)[] = [];
  for (let isFirst = true; isFirst || characters[i] !== ']'; isFirst = false) {
    if (i >= characters.length) return null;
    const named = characters[i] === '[' && characters[i + 1] === ':' ? classAt(characters, i) : null;
    if (named) {
      members.push((character) => named.expression.test(character));
      i = named.end + 1;
      continue;
    }
    if (characters[i] === '\\') i += 1;
    const low = characters[i];
    if (low === undefined) return null;
    i += 1;
    const isRange = characters[i] === '-' && characters[i + 1] !== ']' && characters[i + 1] !== undefined;
    if (!isRange) members.push((character) => character === low);
    else {
      if (characters[i + 1] === '\\') i += 1;
      const high = characters[i + 1];
      if (high === undefined) return null;
      members.push((character) => character >= low && character <= high);
      i += 2;
    }
  }
  return { has: (character) => members.some((has) => has(character)) !== isNegated, end: i };
}

function classAt(characters: readonly string[], start: number): { expression: RegExp; end: number } | null {
  const end = characters.indexOf(']', start + 2);
  const name = characters.slice(start + 2, end - 1).join('');
  const expression = characters[end - 1] === ':' && Object.hasOwn(classes, name) ? classes[name] : undefined;
  return expression ? { expression, end } : null;
}

/** `{a,b}` written out, nested ones too; beyond a number of ways the braces are taken as they stand. */
function alternatives(glob: string): string[] {
  const open = [glob];
  const done: string[] = [];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const group = /\{([^{}]*,[^{}]*)\}/.exec(next);
    if (!group?.[1] || open.length + done.length > maxAlternatives) done.push(next);
    else
      for (const choice of group[1].split(','))
        open.push(next.slice(0, group.index) + choice + next.slice(group.index + group[0].length));
  }
  return done;
}

/** A path without `.`, `..` and doubled slashes, as `posix.normalize` of Node makes it. */
export function normalPath(path: string): string {
  const isAbsolute = path.startsWith('/');
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.') continue;
    const isUp = segment === '..';
    if (isUp && segments.length > 0 && segments.at(-1) !== '..') segments.pop();
    else if (!isUp || !isAbsolute) segments.push(segment);
  }
  const end = path.endsWith('/') ? '/' : '';
  if (segments.length === 0) return isAbsolute ? '/' : `.${end}`;
  return `${isAbsolute ? '/' : ''}${segments.join('/')}${end}`;
}

/**
 * Whether a text matches a pattern in which `*` stands for any characters.
 *
 * Takes time in proportion to pattern times text, whatever both are: patterns come from clients, models and skills, and a
 * regular expression made of `**********!` would hang.
 */
export function starMatcher(pattern: string): (text: string) => boolean {
  const [first = '', ...others] = pattern.split('*');
  const last = others.pop();
  if (last === undefined) return (text) => text === pattern;
  return (text) => {
    const end = text.length - last.length;
    if (end < first.length || !text.startsWith(first) || !text.endsWith(last)) return false;
    let at = first.length;
    for (const part of others) {
      // The first place leaves the most room for the parts behind it.
      const found = text.indexOf(part, at);
      if (found === -1) return false;
      at = found + part.length;
    }
    return at <= end;
  };
}
