const before = 40;
const maxLength = 160;

/** The part of a text around the first word that was searched for, with all such words marked. */
export function markedParts(said: string, query: string): { text: string; isMarked: boolean }[] {
  const words = query.match(/[\p{L}\p{N}]+/gu) ?? [];
  const pattern = words.map((word) => word.replace(/[^\p{L}\p{N}]/gu, '')).join('|');
  if (pattern === '') return [{ text: said.slice(0, maxLength), isMarked: false }];
  const found = new RegExp(`(${pattern})`, 'giu');
  const first = said.search(found);
  const start = first > before ? said.lastIndexOf(' ', first - before / 2) + 1 : 0;
  const shown = `${start > 0 ? '…' : ''}${said.slice(start, start + maxLength)}`;
  return shown
    .split(found)
    .map((text, i) => ({ text, isMarked: i % 2 === 1 }))
    .filter(({ text }) => text !== '');
}
