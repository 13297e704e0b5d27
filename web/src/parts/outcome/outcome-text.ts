import { t } from './words.ts';

/** How a run ended, as a sentence. An outcome of a newer Detent keeps its name. */
export function outcomeText(outcome: string): string {
  return Object.hasOwn(t, outcome) ? t[outcome as keyof typeof t] : outcome;
}
