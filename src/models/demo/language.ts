/** The languages that the demo speaks. */
export type Language = 'en' | 'zh';

/** A text in every language of the demo. */
export type Bilingual = Readonly<Record<Language, string>>;

/** The language to answer in: Chinese, if the text has a Chinese character. */
export function languageOf(text: string): Language {
  return /\p{Script=Han}/u.test(text) ? 'zh' : 'en';
}
