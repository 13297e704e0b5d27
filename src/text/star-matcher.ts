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
