/** Maximum of identifiers that a summary must keep. */
export const maxIdentifiers = 24;

/** Identifiers that a reader of a summary cannot guess: one wrong letter makes them useless. */
const patterns: readonly RegExp[] = [
  // URLs
  /\bhttps?:\/\/[^\s<>"'`)\]}]+/g,
  // e-mail addresses
  /\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b/g,
  // codes in quotes: short, without spaces
  /(?<=["“`'])[^\s"”`']{3,60}(?=["”`'])/g,
  // paths with a path's beginning or a file's ending, so that "and/or" does not match
  /(?<![\w/.])(?:[A-Za-z]:\\|~?\/|\.{1,2}\/)[\w.-]+(?:[/\\][\w.-]+)+/g,
  /(?<![\w/.])[\w.-]+(?:\/[\w.-]+)*\/[\w-]+\.[A-Za-z]\w{0,4}\b/g,
  // ids: letters with digits, as in ORD-4711, run_x1y2z3 or 9f86d081; "20-year" does not match
  /\b(?!\d+-[a-z]+\b)(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[A-Za-z0-9][\w-]{4,}\b/g,
  // numbers of at least four digits before the point, and those that are grouped
  /(?<![\w.,])(?:\d{4,}(?:\.\d{1,2})?|\d{1,3}(?:[,.]\d{3})+)(?!\w|[.,]\d)/g,
];

const longest = 200;

/**
 * The identifiers in some texts: URLs, addresses, paths, ids, long numbers, codes in quotes. Those of earlier texts
 * first, at most `most`, each once.
 */
export function identifiersIn(texts: Iterable<string>, most: number): string[] {
  const found = new Map<string, string>();
  for (const text of texts)
    for (const each of inOrder(text)) {
      const plain = normal(each);
      // Part of an earlier match, such as the host of a URL.
      if (
        plain.length < 3 ||
        each.length > longest ||
        [...found.keys()].some((other) => other.includes(plain))
      )
        continue;
      found.set(plain, each);
      if (found.size >= most) return [...found.values()];
    }
  return [...found.values()];
}

function inOrder(text: string): string[] {
  const hits = patterns.flatMap((pattern) =>
    [...text.matchAll(pattern)].map((match) => ({
      at: match.index,
      what: match[0].replace(/[.,;:!?]+$/, ''),
    })),
  );
  return hits.sort((a, b) => a.at - b.at || b.what.length - a.what.length).map(({ what }) => what);
}

/** The identifiers that a text lacks. Ignores case and the grouping of digits. */
export function missingFrom(text: string, identifiers: readonly string[]): string[] {
  const there = normal(text);
  return identifiers.filter((each) => !there.includes(normal(each)));
}

function normal(text: string): string {
  return text.toLowerCase().replaceAll(/(?<=\d)[,.’ ](?=\d{3}(?!\d))/g, '');
}
