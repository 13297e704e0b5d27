import { type PathMatcher, pathMatcher } from './glob.ts';

interface Rule {
  matches: PathMatcher;
  isNegated: boolean;
  foldersOnly: boolean;
}

/** The rules of one `.gitignore`, and the depth of its folder below the workspace. */
interface RuleFile {
  depth: number;
  rules: readonly Rule[];
}

const maxRules = 2_000;

/**
 * The rules of the `.gitignore` files on the path to a folder, with the semantics of `git`: the last rule that matches
 * decides, and those of a deeper file come last. Does not read `.git/info/exclude` and the user's own file.
 *
 * @see https://git-scm.com/docs/gitignore
 */
export class IgnoreRules {
  readonly #files: readonly RuleFile[];

  constructor(files: readonly RuleFile[] = []) {
    this.#files = files;
  }

  /** These rules and those of a `.gitignore` further down. @param depth 0 is the workspace itself. */
  with(text: string, depth: number): IgnoreRules {
    const rules = text
      .split('\n')
      .slice(0, maxRules)
      .flatMap((line) => ruleOf(line) ?? []);
    return rules.length === 0 ? this : new IgnoreRules([...this.#files, { depth, rules }]);
  }

  /** Whether an entry is ignored. Callers do not open an ignored folder, so they never ask about its entries. */
  ignores(segments: readonly string[], isFolder: boolean): boolean {
    for (const { depth, rules } of this.#files.toReversed()) {
      const path = segments.slice(depth);
      const rule = rules.findLast(({ foldersOnly, matches }) => (isFolder || !foldersOnly) && matches(path));
      if (rule) return !rule.isNegated;
    }
    return false;
  }
}

function ruleOf(line: string): Rule | null {
  let pattern = line.replace(/\r$/, '').replace(/^\uFEFF/, '');
  // Trailing spaces are dropped, unless a backslash escapes one.
  while (pattern.endsWith(' ') && !/(^|[^\\])(\\\\)*\\ $/.test(pattern)) pattern = pattern.slice(0, -1);
  if (pattern === '' || pattern.startsWith('#')) return null;
  const isNegated = pattern.startsWith('!');
  if (isNegated) pattern = pattern.slice(1);
  const foldersOnly = pattern.endsWith('/');
  if (foldersOnly) pattern = pattern.slice(0, -1);
  if (pattern === '') return null;
  // A slash anywhere but at the end anchors the pattern to the folder of its file.
  const matches = pathMatcher(pattern.includes('/') ? pattern : `**/${pattern}`);
  return { matches, isNegated, foldersOnly };
}
