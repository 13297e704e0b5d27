/** A text in Markdown on one line, without its signs of emphasis, code and headings. A sign that stands alone is of the text. */
export function withoutMarks(text: string): string {
  return text
    .replace(/(^|\n)#{1,6} +|(\s)#{2,6} +/g, '$1$2')
    .replace(/(`+)([^`]+)\1/g, '$2')
    .replace(/(?<![\w*])(\*{1,3})(?=[^\s*])(.*?[^\s*])\1(?![\w*])/gs, '$2')
    .replace(/(^|\s)\*\*(?=[^\s*])/g, '$1');
}
