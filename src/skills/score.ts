import type { SkillCard, SkillScore } from '../agent/skill/skill-source.ts';
import { wordsOf } from './words.ts';

/** What is searched of a skill. */
export interface ScoredSkill extends SkillCard {
  /** Further words, `keywords` of its metadata. */
  keywords: string;
}

/** Ranks skills by an input, those that fit it at all, best first. */
export type SkillScorer = (input: string, skills: readonly ScoredSkill[]) => SkillScore[];

/** A word counts so often by where it stands. */
const weights = { name: 3, keywords: 2, description: 1 };
/** https://en.wikipedia.org/wiki/Okapi_BM25 */
const saturation = 1.2;
const lengthShare = 0.4;
/** Of the best: what is far behind it is chance. */
const leastShare = 0.25;
/** Longer inputs are texts to be worked on, not words about what to do: their beginning and end count. */
const mostInputChars = 4_000;

/**
 * Ranks by the words that an input and a skill have in common, rare ones counting more (BM25). One common word that many
 * skills have is no reason to choose one: such skills are left out.
 */
export const lexicalScorer: SkillScorer = (input, skills) => {
  const asked = new Set(wordsOf(clipped(input)));
  if (asked.size === 0 || skills.length === 0) return [];
  const documents = skills.map(documentOf);
  const average = documents.reduce((sum, { length }) => sum + length, 0) / documents.length;
  const having = new Map<string, number>();
  for (const word of asked) having.set(word, documents.filter(({ counts }) => counts.has(word)).length);
  const scores = documents.map(({ name, counts, length }) => {
    let score = 0;
    for (const word of asked) {
      const count = counts.get(word) ?? 0;
      if (count === 0) continue;
      const rarity = Math.log(
        1 + (documents.length - (having.get(word) ?? 0) + 0.5) / ((having.get(word) ?? 0) + 0.5),
      );
      const bound = saturation * (1 - lengthShare + (lengthShare * length) / average);
      score += (rarity * count * (saturation + 1)) / (count + bound);
    }
    return { name, score: Math.round(score * 1_000) / 1_000 };
  });
  const fitting = scores
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1));
  const best = fitting[0]?.score ?? 0;
  return fitting.filter(({ score }) => score >= best * leastShare);
};

interface Document {
  name: string;
  counts: ReadonlyMap<string, number>;
  length: number;
}

const documents = new WeakMap<ScoredSkill, Document>();

function documentOf(skill: ScoredSkill): Document {
  const known = documents.get(skill);
  if (known) return known;
  const counts = new Map<string, number>();
  for (const field of ['name', 'keywords', 'description'] as const)
    for (const word of wordsOf(skill[field])) counts.set(word, (counts.get(word) ?? 0) + weights[field]);
  const length = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const made = { name: skill.name, counts, length };
  documents.set(skill, made);
  return made;
}

function clipped(input: string): string {
  if (input.length <= mostInputChars) return input;
  const half = mostInputChars / 2;
  return `${input.slice(0, half)} ${input.slice(-half)}`;
}
