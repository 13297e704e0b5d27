import type { Language } from '../language.ts';
import { understand } from '../understand.ts';
import { tourWords } from './words.ts';

/** The tour finds itself in a conversation, and in summaries of it, by its own words. */

const languages: readonly Language[] = ['en', 'zh'];

/** Whether a message asks for the tour, and for nothing else. */
export function asksForTour(text: string): boolean {
  const parts = understand(text);
  return parts.length === 1 && parts.some((part) => part.kind === 'talk' && part.talk === 'tour');
}

/** The language of a tour of which a step is in the text; undefined without one. */
export function stepLanguage(text: string): Language | undefined {
  return languages.find((each) => Object.values(tourWords[each].step).some((step) => text.includes(step)));
}

/** Whether a text is of a tour, under way or over. */
export function isOfTour(text: string): boolean {
  const ends = languages.flatMap((each) => [tourWords[each].end, tourWords[each].finished]);
  return stepLanguage(text) !== undefined || ends.some((end) => text.includes(end));
}

/** What a summary of this transcript says of the tour. */
export function tourInSummary(transcript: string): string[] {
  const language = stepLanguage(transcript);
  if (language === undefined) return [];
  const { step, stepDone, end, finished } = tourWords[language];
  if (transcript.includes(end)) return [finished];
  const has = (n: 1 | 2) => transcript.includes(step[n]);
  const results = [...transcript.matchAll(/^Assistant called write_file\(.*\), result: (.*)$/gm)];
  const earlier = transcript.split(stepDone[2], 2)[1]?.split('\n', 1)[0]?.trim();
  const result = results.at(-1)?.[1] ?? earlier ?? '?';
  return [
    ...(has(1) ? [`${step[1]} ${stepDone[1]}`] : []),
    ...(has(2) ? [`${step[2]} ${stepDone[2]} ${result}`] : []),
  ];
}

/** What the memory keeps of the tour in this transcript. */
export function tourInMemory(transcript: string): string[] {
  const language = stepLanguage(transcript);
  return language === undefined ? [] : [tourWords[language].memory];
}
