import { describe, expect, it } from 'vitest';
import {
  chosenSkill,
  matchingSkills,
  moveIn,
  skillWord,
} from '../../../../../../web/src/pages/chat/dock/composer/skills.ts';

describe('skillWord', () => {
  it('is what was typed behind a slash at the beginning, up to the caret', () => {
    expect(skillWord('/res', 4)).toBe('res');
    expect(skillWord('/', 1)).toBe('');
    expect(skillWord('/res tock', 4)).toBe('res');
  });

  it('is nothing behind the name, within it, and elsewhere', () => {
    expect(skillWord('/restock now', 12)).toBeNull();
    expect(skillWord('/restock', 4)).toBeNull();
    expect(skillWord('see /restock', 12)).toBeNull();
    expect(skillWord('/usr/bin', 8)).toBeNull();
  });
});

describe('chosenSkill', () => {
  const skill = (name: string, forPeople = true) => ({ name, description: '', forPeople, off: null });
  const list = { skills: [skill('restock'), skill('reorder', false)] };

  it('is a whole name of a skill that people may choose, with the words behind it', () => {
    expect(chosenSkill('/restock for Friday', list)).toEqual({ name: 'restock', words: 'for Friday' });
    expect(chosenSkill('/restock ', list)).toEqual({ name: 'restock', words: '' });
    for (const text of ['/restock', '/reorder now', '/usr and more', 'see /restock now'])
      expect(chosenSkill(text, list)).toBeNull();
  });
});

describe('matchingSkills', () => {
  const skill = (name: string, description = '', more = {}) => ({
    name,
    description,
    forPeople: true,
    off: null,
    ...more,
  });
  const list = {
    skills: [
      skill('gift-note', 'Writes a card'),
      skill('refund', 'Checks the order'),
      skill('restock', 'Drafts an order', { off: 'it is disabled' }),
      skill('reorder', '', { forPeople: false }),
    ],
    bad: [
      {
        path: '/home/lin/.detent/skills/broken/SKILL.md',
        reasons: ['it has no name', 'it has no description'],
        sentences: [],
      },
    ],
  };

  it('puts names that begin so first, then other matches, and those that cannot be used last, with the reason', () => {
    expect(matchingSkills(list, 're').map(({ name, why }) => [name, why])).toEqual(
      [
        ['refund', null],
        ['reorder', 'forModels'],
        ['restock', { why: 'it is disabled' }],
      ].toSorted((a, b) => (a[0] === 'refund' ? -1 : b[0] === 'refund' ? 1 : 0)),
    );
    expect(matchingSkills(list, 'order').map(({ name }) => name)).toEqual(['refund', 'reorder', 'restock']);
    expect(matchingSkills(list, 'broken')).toEqual([
      { name: 'broken', about: '', why: { why: 'it has no name; it has no description' } },
    ]);
  });

  it('has all of them while nothing is typed, and none for what fits nowhere', () => {
    expect(matchingSkills(list, '')).toHaveLength(5);
    expect(matchingSkills(list, 'zzz')).toEqual([]);
  });
});

describe('a key in the list', () => {
  const skills = [
    { name: 'refund', about: '', why: null },
    { name: 'reorder', about: '', why: 'forModels' as const },
  ];

  it('moves by a line, and from each end to the other', () => {
    expect([moveIn(skills, 0, 'ArrowDown'), moveIn(skills, 1, 'ArrowDown')]).toEqual([1, 0]);
    expect([moveIn(skills, 0, 'ArrowUp'), moveIn(skills, 1, 'ArrowUp')]).toEqual([1, 0]);
  });

  it('picks the line that it is at, and closes', () => {
    expect([moveIn(skills, 1, 'Enter'), moveIn(skills, 0, 'Tab')]).toEqual([skills[1], skills[0]]);
    expect([moveIn(skills, 0, 'Escape'), moveIn([], 0, 'Escape')]).toEqual(['close', 'close']);
  });

  it('is left to the text otherwise, and while there is nothing to pick', () => {
    expect(moveIn(skills, 0, 'a')).toBeNull();
    expect(['ArrowDown', 'Enter', 'Tab'].map((key) => moveIn([], 0, key))).toEqual([null, null, null]);
  });
});
