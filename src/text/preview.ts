/** The beginning and the end of a long text, with a note about how much is left out. */
export function preview(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const head = Math.floor(maxChars * 0.8);
  const tail = maxChars - head;
  return `${text.slice(0, head)}\n[… ${text.length - maxChars} characters left out …]\n${text.slice(-tail)}`;
}
