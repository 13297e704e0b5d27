/**
 * The words of a text that searching looks at: lower case, endings of English cut off, Chinese, Japanese and Korean in
 * pairs of characters, words that say nothing left out.
 */
export function wordsOf(text: string): string[] {
  const words: string[] = [];
  for (const [run] of text
    .normalize('NFKC')
    .toLowerCase()
    .matchAll(/[\p{L}\p{N}]+/gu))
    for (const piece of run.match(
      /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]+|[^\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]+/gu,
    ) ?? [])
      words.push(...(isIdeographic(piece) ? pairs(piece) : [stem(piece)]));
  return words.filter((word) => word !== '' && !silent.has(word));
}

function isIdeographic(piece: string): boolean {
  return /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u.test(piece);
}

function pairs(piece: string): string[] {
  const characters = Array.from(piece);
  if (characters.length < 2) return characters;
  return characters.slice(1).map((character, i) => `${characters[i]}${character}`);
}

/** A few endings only: what a word means must not depend on how it is bent. */
function stem(word: string): string {
  if (!/^[a-z]+$/.test(word) || word.length < 4) return word;
  const bare = word
    .replace(/ies$/, 'y')
    .replace(/(ss|sh|ch|x)es$/, '$1')
    .replace(/([^su])s$/, '$1')
    .replace(/(?<=[a-z]{3})(ing|ed)$/, '')
    .replace(/([bdgklmnprt])\1$/, '$1');
  return bare.length > 4 ? bare.replace(/e$/, '') : bare;
}

/** They stand in every request, and in every description. */
const silent: ReadonlySet<string> = new Set(
  [
    'a an and any are as at be by can could do does for from have help how i if in into is it its let like make',
    'me my need of on or our please should so some that the their them then there these this to us use used user using',
    'want was we what when where which who whenever will with would you your about also all get give not no one',
    'ask task work thing way new something 我 你 的 了 吗 请 帮 把 给 这 那 是 在 一下 帮我 请帮 我的 一个 这个 我把 给我 怎么 什么',
  ]
    .join(' ')
    .split(' ')
    .map((word) => stem(word)),
);
