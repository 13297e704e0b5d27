import { language } from './language.ts';

/** A text, or what makes one of values. */
type Entry = string | ((...values: never[]) => string);

/** The same in the other language: of the same values. */
type Same<Text> = Text extends (...values: infer Values) => string ? (...values: Values) => string : string;

type Texts<English> = { readonly [Key in keyof English]: Same<English[Key]> };

/** Both languages of a dictionary, for tests. */
export const dictionary = Symbol('dictionary');

/**
 * The words of a part of the page, each in English and in Chinese. Reading one in a component makes the component follow the language.
 *
 * @example
 * ```ts
 * export const t = words({
 *   send: ['Send', '发送'],
 *   tokens: [(n: number) => `${n} tokens`, (n) => `${n} 个 token`],
 * });
 * ```
 */
export function words<English extends Record<string, Entry>>(
  pairs: {
    readonly [Key in keyof English]: readonly [en: English[Key], zh: Same<English[Key]>];
  },
): Texts<English> {
  const texts = Object.defineProperty({}, dictionary, { value: pairs });
  for (const key of Object.keys(pairs) as (keyof English)[])
    Object.defineProperty(texts, key, {
      enumerable: true,
      get: () => pairs[key][language.value === 'en' ? 0 : 1],
    });
  return texts as Texts<English>;
}

/** `1 run`, `2 runs`. */
export function counted(n: number, one: string, many: string): string {
  return `${n.toLocaleString('en')} ${n === 1 ? one : many}`;
}
