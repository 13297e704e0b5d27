/** The languages that the demo speaks. */
export type Language = 'en' | 'zh';

/** A text in every language of the demo. */
export type Bilingual = Readonly<Record<Language, string>>;

const han = /\p{Script=Han}/u;
const everyHan = /\p{Script=Han}/gu;
const firstLetter = /\p{Letter}/u;
const plainWord = /^[a-z']+$/i;

/**
 * The language to answer in.
 *
 * Names and contents may be foreign ("write 你好 to notes.txt", "把 foo 改成 bar"), so the sentence counts as Chinese
 * when its first letter is, or when it has at least as many Chinese characters as plain English words.
 */
export function languageOf(text: string): Language {
  const first = firstLetter.exec(text);
  if (first && han.test(first[0])) return 'zh';
  const hanCount = text.match(everyHan)?.length ?? 0;
  const wordCount = text.split(/\s/).filter((word) => plainWord.test(word)).length;
  return hanCount > 0 && hanCount >= wordCount ? 'zh' : 'en';
}
