import { type Language, language } from './language.ts';

/** A text, or what makes one of values. */
// biome-ignore lint/suspicious/noExplicitAny: a parameter list of any kind can only be written so.
type Entry = string | ((...values: any[]) => string);

/** The same keys, and functions of the same values. */
type SameKeys<English> = {
  [Key in keyof English]: English[Key] extends (...values: infer Values) => string
    ? (...values: Values) => string
    : string;
};

type Texts<English> = {
  readonly [Key in keyof English]: English[Key] extends (...values: infer Values) => string
    ? (...values: Values) => string
    : string;
};

/** Both languages of a dictionary, for tests. */
export const dictionary = Symbol('dictionary');

/**
 * The words of a part of the page, in both languages. Reading one in a component makes the component follow the language.
 *
 * @example
 * ```ts
 * export const t = words(
 *   { send: 'Send', tokens: (n: number) => `${n} tokens` },
 *   { send: '发送', tokens: (n) => `${n} 个 token` },
 * );
 * ```
 */
export function words<English extends Record<string, Entry>>(
  en: English,
  zh: SameKeys<English>,
): Texts<English> {
  const both: Record<Language, SameKeys<English> | English> = { en, 'zh-CN': zh };
  const texts = Object.defineProperty({}, dictionary, { value: both });
  for (const key of Object.keys(en))
    Object.defineProperty(texts, key, {
      enumerable: true,
      get: () => both[language.value][key as keyof English],
    });
  return texts as Texts<English>;
}

/** `1 run`, `2 runs`. */
export function counted(n: number, one: string, many: string): string {
  return `${n.toLocaleString('en')} ${n === 1 ? one : many}`;
}
