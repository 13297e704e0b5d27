import type { SkillCard } from '../protocol/ports.ts';
import { type RankedDocument, Ranking, rankedDocument, termOf } from '../text/ranking.ts';
import type { SkillScorer } from './library.ts';

/** How often a word counts, by the field that it is in. */
const weights = { name: 3, keywords: 2, description: 1 };
/** Minimum score as a share of the best one: lower scores are chance. */
const minShare = 0.25;

/**
 * Creates the scorer, which ranks skills by the words that they share with a request, like the memory search by words. It
 * caches its index: the list of skills stays the same until one of them changes.
 */
export function createSkillScorer(): SkillScorer {
  const rankings = new WeakMap<readonly SkillCard[], Ranking>();
  const documents = new WeakMap<SkillCard, RankedDocument>();
  return (input, skills) => {
    const ranking = kept(
      rankings,
      skills,
      () => new Ranking(skills.map((card) => kept(documents, card, documentOf))),
    );
    const ranked = ranking.rank(input, isRequestTerm);
    const least = (ranked[0]?.score ?? 0) * minShare;
    return ranked.flatMap(({ at, score }) => {
      const name = skills[at]?.name;
      return name === undefined || score < least ? [] : [{ name, score: Math.round(score * 1_000) / 1_000 }];
    });
  };
}

function kept<K extends object, V>(known: WeakMap<K, V>, key: K, make: (key: K) => V): V {
  const made = known.get(key) ?? make(key);
  known.set(key, made);
  return made;
}

function documentOf({ name, description, keywords = '' }: SkillCard): RankedDocument {
  return rankedDocument([
    { text: name, weight: weights.name },
    { text: keywords, weight: weights.keywords },
    { text: description, weight: weights.description },
  ]);
}

/** Words of every request and every description, which say nothing about the subject. */
const isRequestTerm = termOf(
  [
    'ask asked get give given help like make makes making need new something task thing use used user uses using want',
    'wants whenever work would let please could all about',
    '帮我 请帮 我的 一下 我把 给我 帮 请 给 把',
  ].join(' '),
);
