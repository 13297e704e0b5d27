/** A piece of code; `kind` is the class of its colour. */
export interface CodePiece {
  text: string;
  kind?: 'comment' | 'word' | 'text' | 'figure' | 'key' | 'added' | 'gone';
}

const common =
  'as async await break case catch class const continue default delete do else enum export extends false finally for from func function if implements import in interface is let match new nil None null of package private protected public return static struct super switch this throw True true False try type typeof undefined var void while yield';
const more =
  'abstract bool boolean char double final float fn go impl int long mod mut namespace number operator override pub readonly select self short string trait unsafe unsigned use using val where';
const scripts =
  'and assert begin def del elif end ensure except exec fi done echo esac exit foreach global lambda local module nonlocal not or pass raise rescue set then unless until with';
const sql =
  'add all alter and as asc between by case constraint create cross delete desc distinct drop else end exists foreign from full group having in index inner insert into is join key left like limit not null offset on or order outer primary references right select set table then union unique update values view when where with';

const wordsOf = (...lists: string[]) => new Set(lists.join(' ').split(' '));

interface Grammar {
  /** Comments, and texts in quotes. None of them reads a place twice, so that no code holds up the page. */
  comment: string;
  text: string;
  words: ReadonlySet<string>;
}

const quoted = String.raw`"(?:[^"\\\n]|\\[^])*"?|'(?:[^'\\\n]|\\[^\n]){0,200}'`;
const slashes = String.raw`\/\/[^\n]*|\/\*(?:[^*]|\*(?!\/))*(?:\*\/)?`;

const cLike: Grammar = {
  comment: slashes,
  text: `${quoted}|\`(?:[^\`\\\\]|\\\\[^])*\`?`,
  words: wordsOf(common, more),
};
const hashed: Grammar = {
  comment: String.raw`(?<![^\s])#[^\n]*`,
  text: String.raw`"""(?:[^"]|"(?!""))*(?:""")?|'''(?:[^']|'(?!''))*(?:''')?|${quoted}`,
  words: wordsOf(common, scripts),
};
const grammars: readonly [Grammar, names: string][] = [
  [
    cLike,
    'c c++ cc cpp cs csharp dart go h java javascript js jsx kotlin kt mjs php rs rust scala swift ts tsx typescript',
  ],
  [{ ...cLike, words: wordsOf('true false null') }, 'css json json5 jsonc jsonl less scss'],
  [hashed, 'bash dockerfile elixir ini makefile perl pl ps1 py python r rb ruby sh shell toml yaml yml zsh'],
  [
    { comment: `--[^\\n]*|${slashes}`, text: quoted, words: wordsOf(sql, sql.toUpperCase()) },
    'mysql postgres postgresql sql sqlite',
  ],
  [
    { comment: '<!--(?:[^-]|-(?!->))*(?:-->)?', text: '(?<==)"[^"\\n]*"?', words: new Set() },
    'html svg vue xml',
  ],
  [{ comment: '^@@[^\\n]*', text: '^(?:\\+|-)[^\\n]*', words: new Set() }, 'diff patch'],
];

/** Of one block: each piece is an element of the page. */
const maxCode = 20_000;

/** Code in pieces, each with its kind; null for a language that is not known, and for code that is too long. */
export function coloured(code: string, language: string): CodePiece[] | null {
  const name =
    language
      .trim()
      .toLowerCase()
      .split(/[\s{:,]/)[0] ?? '';
  const [grammar] = grammars.find(([, names]) => names.split(' ').includes(name)) ?? [];
  if (!grammar || name === '' || code.length > maxCode) return null;
  const { comment, text, words } = grammar;
  const pattern = new RegExp(
    `(?<comment>${comment})|(?<text>${text})|(?<tag><\\/?[\\w:-]+)|(?<figure>\\d[\\w.]*)|(?<word>[\\p{L}_$][\\p{L}\\p{N}_$]*)|[^]`,
    'gmu',
  );
  const pieces: CodePiece[] = [];
  for (const { 0: found, index, groups = {} } of code.matchAll(pattern)) {
    const kind = kindOf(found, groups, { words, next: code[index + found.length] ?? '', name });
    const last = pieces.at(-1);
    if (last && last.kind === kind) last.text += found;
    else pieces.push({ text: found, ...(kind && { kind }) });
  }
  return pieces;
}

function kindOf(
  found: string,
  groups: Readonly<Record<string, string | undefined>>,
  { words, next, name }: { words: ReadonlySet<string>; next: string; name: string },
): CodePiece['kind'] {
  if (groups.comment) return 'comment';
  if (groups.text && (name === 'diff' || name === 'patch')) return found[0] === '+' ? 'added' : 'gone';
  const isKey = next === ':' && !/^(?:[a-z]*sql|html|vue)/.test(name);
  if (groups.text) return isKey ? 'key' : 'text';
  if (groups.figure) return 'figure';
  if (groups.tag) return words.size === 0 ? 'word' : undefined;
  if (groups.word) return words.has(found) ? 'word' : isKey ? 'key' : undefined;
  return undefined;
}
