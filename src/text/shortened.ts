/** A text of at most so many characters; `…` stands for the rest. */
export function shortened(text: string, maxChars: number): string {
  return text.length > maxChars ? `${text.slice(0, maxChars).toWellFormed()}…` : text;
}

/** The same on one line. */
export function oneLine(text: string, maxChars: number): string {
  return shortened(text.replaceAll(/\s+/g, ' ').trim(), maxChars);
}

/** A name, a path or another word from outside in a message: in quotes and short, because it may be anything. */
export function quoted(text: string, maxChars = 200): string {
  return JSON.stringify(shortened(text, maxChars));
}
