/** A prompt shows about a thousand characters of a skill; the YAML parser needs seconds for far more. */
const maxChars = 65_536;
/** Deeply nested brackets take the YAML parser seconds, too. */
const maxBrackets = 1_000;

/** Why frontmatter is too large to parse; null when it is not. */
export function tooMuchIn(yaml: string): string | null {
  if (yaml.length > maxChars) return `it has ${yaml.length} characters, at most ${maxChars}`;
  const brackets = yaml.split(/[[{]/, maxBrackets + 2).length - 1;
  return brackets > maxBrackets ? `it has more than ${maxBrackets} brackets` : null;
}
