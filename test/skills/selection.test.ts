import { beforeAll, describe, expect, it } from 'vitest';
import { choose } from '../../src/agent/skills/skill-choice.ts';
import { misspelt } from '../../src/memory/eval/evaluate.ts';
import type { SkillCard } from '../../src/protocol/ports/skill-source.ts';
import { openSkills } from '../../src/runtime/parts/skills.ts';
import { farFetched, forNone, type Paraphrase, paraphrases } from './selection.ts';
import { fixtureSkills } from './support.ts';

const env = { DETENT_HOME: '/nowhere' };
/** Those of Detent and those of other people's repositories, all at once; of one name, ours. */
const library = openSkills({ env }, '/nowhere');
let cards: readonly SkillCard[];

beforeAll(async () => {
  const others = openSkills({ env, skills: { bundled: false, folders: [fixtureSkills] } }, '/nowhere');
  await Promise.all([library.ready(), others.ready()]);
  const own = library.cards(null);
  const names = new Set(own.map(({ name }) => name));
  cards = [...own, ...others.cards(null).filter(({ name }) => !names.has(name))];
});

const placeOf = ({ input, skill }: Paraphrase) =>
  library.rank(input, cards).findIndex(({ name }) => name === skill);

interface Hits {
  asked: number;
  first: number;
  three: number;
  eight: number;
}

function hits(asked: readonly Paraphrase[]): Hits {
  const within = (most: number) =>
    asked.filter((one) => {
      const place = placeOf(one);
      return place >= 0 && place < most;
    }).length / asked.length;
  return { asked: asked.length, first: within(1), three: within(3), eight: within(8) };
}

const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
const report = (what: string, { asked, first, three, eight }: Hits) =>
  console.log(
    `selection, ${what}: ${asked} inputs, hit@1 ${percent(first)}, hit@3 ${percent(three)}, hit@8 ${percent(eight)}`,
  );

describe('choosing candidates among 33 skills by the words of a request', () => {
  it('has the skills that the requests mean', () => {
    expect(cards).toHaveLength(33);
    const known = new Set(cards.map(({ name }) => name));
    expect(paraphrases.filter(({ skill }) => !known.has(skill))).toEqual([]);
    expect(paraphrases.length).toBeGreaterThan(80);
  });

  it.each<[string, (one: Paraphrase) => boolean, number, number]>([
    ['English, skills of Detent', ({ language, isOwn }) => language === 'en' && isOwn, 0.85, 0.9],
    ['Chinese, skills of Detent', ({ language }) => language === 'zh', 0.95, 1],
    ['English, skills of others', ({ isOwn }) => !isOwn, 0.9, 0.95],
    ['all', () => true, 0.9, 0.95],
  ])('finds what is meant: %s', (what, isMeant, first, three) => {
    const found = hits(paraphrases.filter(isMeant));
    report(what, found);
    expect(found.first).toBeGreaterThanOrEqual(first);
    expect(found.three).toBeGreaterThanOrEqual(three);
  });

  it('finds it by words that are misspelt, too: the two longest of each request', () => {
    const asked = paraphrases.filter(({ language }) => language === 'en');
    const found = hits(asked.map((one) => ({ ...one, input: misspelt(one.input) })));
    report('English, misspelt', found);
    expect(found.first).toBeGreaterThanOrEqual(0.8);
    expect(found.three).toBeGreaterThanOrEqual(0.85);
  });

  it.each(['en', 'zh'] as const)('has its bounds, which a list of all skills has not: %s', (wanted) => {
    const asked = farFetched.filter(({ language }) => language === wanted);
    report(`${wanted}, without common words`, hits(asked));
    // So many skills are all listed, and it is the model that chooses.
    expect(choose(library, cards, asked[0]?.input ?? '').mode).toBe('listed');
  });

  it('finds nothing for most requests that are for no skill', () => {
    const none = forNone.filter((input) => library.rank(input, cards).length === 0);
    console.log(
      `selection, abstention: ${none.length} of ${forNone.length}; not ${JSON.stringify(forNone.filter((input) => !none.includes(input)))}`,
    );
    expect(none.length / forNone.length).toBeGreaterThanOrEqual(0.85);
  });
});
