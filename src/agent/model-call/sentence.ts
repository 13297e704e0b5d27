import type { RunOptions } from '../../store/run-options.ts';

/** What writing tells of its language. Kana before Han: Japanese has both. */
const scripts: readonly [script: RegExp, language: string][] = [
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/u, 'ja'],
  [/\p{Script=Han}/u, 'zh'],
  [/\p{Script=Hangul}/u, 'ko'],
];

/**
 * What a user who is over a budget of users reads in place of an answer, in the user's language; null where no person reads it, or the
 * answer has a form: the run fails then.
 *
 * @param said what the user said last
 */
export function sentenceFor(
  { budget, output, parentRunId, principal }: RunOptions,
  said: string,
): string | null {
  const { sentence } = budget ?? {};
  if (sentence === undefined || output !== undefined || parentRunId !== undefined) return null;
  if (typeof sentence === 'string') return sentence;
  const [first] = Object.values(sentence);
  const claimed = principal?.claims.language;
  return (
    inLanguage(sentence, typeof claimed === 'string' ? claimed : undefined) ??
    inLanguage(sentence, scripts.find(([script]) => script.test(said))?.[1]) ??
    sentence.en ??
    first ??
    null
  );
}

/** Of `zh-Hans-CN`, that of `zh` will do. */
function inLanguage(
  sentences: Readonly<Record<string, string>>,
  tag: string | undefined,
): string | undefined {
  for (let wanted = tag ?? ''; wanted !== ''; wanted = wanted.slice(0, Math.max(0, wanted.lastIndexOf('-'))))
    if (Object.hasOwn(sentences, wanted)) return sentences[wanted];
  return undefined;
}
