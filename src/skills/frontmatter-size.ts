/** A model is shown a thousand characters of a skill before it is chosen; to read far more than that takes YAML seconds. */
const mostChars = 65_536;
/** Nested deeply they take seconds, too. */
const mostBrackets = 1_000;

/** Why frontmatter is not even tried to be read; null when it is. */
export function tooMuchIn(yaml: string): string | null {
  if (yaml.length > mostChars) return `it has ${yaml.length} characters, at most ${mostChars}`;
  const brackets = yaml.split(/[[{]/, mostBrackets + 2).length - 1;
  return brackets > mostBrackets ? `it has more than ${mostBrackets} brackets` : null;
}
