import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type PolicyFacts, resolvePolicy } from '../../../src/tools/policy/resolve.ts';

const says = [null, true, false] as const;

/** Every combination of what the rules may say. */
const combinations: PolicyFacts[] = (['ask', 'all', 'none'] as const).flatMap((runOption) =>
  [null, 'inbox (c2) brought untrusted text'].flatMap((taint) =>
    [null, 2].flatMap((grant) =>
      [null, 'tidy'].flatMap((skill) =>
        [null, 'careful'].flatMap((askingSkill) =>
          says.flatMap((configured) =>
            says.map((own) => ({
              tool: 'act',
              runOption,
              taint,
              grant,
              skill,
              askingSkill,
              configured,
              own,
            })),
          ),
        ),
      ),
    ),
  ),
);

const silent: PolicyFacts = {
  tool: 'act',
  runOption: 'ask',
  taint: null,
  grant: null,
  skill: null,
  askingSkill: null,
  configured: null,
  own: null,
};

/** The order of the rules, most specific first, with the beginning of each rule's reason. */
const order = [
  'taint',
  'session grant',
  'confirm-before',
  'trusted skill',
  'configuration',
  'tool default',
  'global default',
];

/** What the rules below a run option say, by name. */
function spoken({ taint, grant, skill, askingSkill, configured, own }: PolicyFacts): Map<string, boolean> {
  const words: [string, boolean | null][] = [
    ['taint', taint === null ? null : true],
    ['session grant', grant === null ? null : false],
    ['confirm-before', askingSkill === null ? null : true],
    ['trusted skill', skill === null ? null : false],
    ['configuration', configured],
    ['tool default', own],
    ['global default', true],
  ];
  return new Map(words.filter((word): word is [string, boolean] => word[1] !== null));
}

const firstOf = (rules: Map<string, boolean>) => order.find((rule) => rules.has(rule)) ?? '';

describe('of the rules that say something', () => {
  it('the most specific wins, in every combination, and is named first', () => {
    expect(combinations).toHaveLength(432);
    for (const facts of combinations) {
      const rules = spoken(facts);
      const winner = facts.runOption === 'all' ? 'run option: approve all' : firstOf(rules);
      const asks = facts.runOption === 'all' ? false : rules.get(winner);
      const gate = asks ? (facts.runOption === 'none' ? 'refuse' : 'ask') : 'run';
      const verdict = resolvePolicy(facts);
      expect(verdict.gate, JSON.stringify(facts)).toBe(gate);
      const why = gate === 'refuse' ? verdict.why.replace('run option: approve none (', '') : verdict.why;
      expect(why.startsWith(winner), `${verdict.why}: ${winner}`).toBe(true);
    }
  });

  it('those that are beaten are named, and no other', () => {
    for (const facts of combinations) {
      const rules = spoken(facts);
      const winner = facts.runOption === 'all' ? '' : firstOf(rules);
      const asks = winner === '' ? false : rules.get(winner);
      const beaten = order.filter(
        (rule) => rule !== 'global default' && rule !== winner && rules.has(rule) && rules.get(rule) !== asks,
      );
      const [, over = ''] = resolvePolicy(facts).why.split(', over ');
      expect(order.filter((rule) => over.includes(rule))).toEqual(beaten);
    }
  });

  it('what a less specific one says changes nothing', () => {
    const facts = fc.constantFrom(...combinations);
    fc.assert(
      fc.property(facts, facts, fc.nat(6), (one, other, depth) => {
        const fields = ['runOption', 'taint', 'grant', 'askingSkill', 'skill', 'configured', 'own'] as const;
        const speaks = fields.findIndex((field) =>
          field === 'runOption' ? one.runOption === 'all' : one[field] !== null,
        );
        fc.pre(speaks !== -1 && speaks <= depth);
        const below = Object.fromEntries(fields.slice(depth + 1).map((field) => [field, other[field]]));
        expect(resolvePolicy({ ...one, ...below }).gate).toBe(resolvePolicy(one).gate);
      }),
    );
  });

  it('none is left: a person is asked', () => {
    expect(resolvePolicy(silent)).toEqual({ gate: 'ask', why: 'global default: ask' });
    expect(resolvePolicy({ ...silent, runOption: 'none' }).gate).toBe('refuse');
  });

  it('reads like a sentence', () => {
    const taint = 'http_get (c2) brought untrusted text';
    expect(resolvePolicy({ ...silent, taint, grant: 3, configured: false, own: true }).why).toBe(
      'taint: http_get (c2) brought untrusted text, over session grant 3, configuration: confirm act does not ask',
    );
    expect(resolvePolicy({ ...silent, grant: 3, own: true }).why).toBe(
      'session grant 3, over tool default: act asks',
    );
  });
});
