/** A model is shown a thousand characters of a skill before it is chosen; to read far more than that takes YAML seconds. */
const maxChars = 65_536;
/** Nested deeply they take seconds, too. */
const maxBrackets = 1_000;

/** Why frontmatter is not even tried to be read; null when it is. */
export function tooMuchIn(yaml: string): string | null {
  if (yaml.length > maxChars) return `it has ${yaml.length} characters, at most ${maxChars}`;
  const brackets = yaml.split(/[[{]/, maxBrackets + 2).length - 1;
  return brackets > maxBrackets ? `it has more than ${maxBrackets} brackets` : null;
}
