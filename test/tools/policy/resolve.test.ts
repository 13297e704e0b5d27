import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type PolicyFacts, resolvePolicy } from '../../../src/tools/policy/resolve.ts';

const says = [null, true, false] as const;
/** With whether the request of the run says so, and not only the configuration. */
const runOptions = [
  ['ask', false],
  ['all', false],
  ['all', true],
  ['none', true],
] as const;

/** Every combination of what the rules may say. */
const combinations: PolicyFacts[] = runOptions.flatMap(([runOption, isRequested]) =>
  [null, '.git/config, by which git can be made to execute something'].flatMap((guarded) =>
    [null, 'inbox (c2)'].flatMap((taint) =>
      [null, 2].flatMap((grant) =>
        [null, 'tidy'].flatMap((skill) =>
          [null, 'careful'].flatMap((askingSkill) =>
            says.flatMap((configured) =>
              says.map((own) => ({
                tool: 'act',
                runOption,
                isRequested,
                isFourEyes: false,
                guarded,
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
  ),
);

const silent: PolicyFacts = {
  tool: 'act',
  runOption: 'ask',
  isRequested: false,
  isFourEyes: false,
  guarded: null,
  taint: null,
  grant: null,
  skill: null,
  askingSkill: null,
  configured: null,
  own: null,
};

/** The order of the rules, most specific first, with the beginning of each rule's reason. */
const order = [
  'run option: approve all',
  'guarded',
  'configuration: approve all',
  'taint',
  'session grant',
  'confirm-before',
  'trusted skill',
  'configuration: confirm',
  'tool default',
  'global default',
];

/** What the rules say, by name. */
function spoken(facts: PolicyFacts): Map<string, boolean> {
  const { runOption, isRequested, guarded, taint, grant, skill, askingSkill, configured, own } = facts;
  const words: [string, boolean | null][] = [
    ['run option: approve all', runOption === 'all' && isRequested ? false : null],
    ['guarded', guarded === null ? null : true],
    ['configuration: approve all', runOption === 'all' && !isRequested ? false : null],
    ['taint', taint === null ? null : true],
    ['session grant', grant === null ? null : false],
    ['confirm-before', askingSkill === null ? null : true],
    ['trusted skill', skill === null ? null : false],
    ['configuration: confirm', configured === null ? null : configured !== false],
    ['tool default', own === null ? null : own !== false],
    ['global default', true],
  ];
  return new Map(words.filter((word): word is [string, boolean] => word[1] !== null));
}

const firstOf = (rules: Map<string, boolean>) => order.find((rule) => rules.has(rule)) ?? '';

describe('of the rules that say something', () => {
  it('the most specific wins, in every combination, and is named first', () => {
    expect(combinations).toHaveLength(1152);
    for (const facts of combinations) {
      const rules = spoken(facts);
      const winner = firstOf(rules);
      const asks = rules.get(winner);
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
      const winner = firstOf(rules);
      const asks = rules.get(winner);
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
      fc.property(facts, facts, fc.nat(6), (one, given, depth) => {
        const fields = ['guarded', 'taint', 'grant', 'askingSkill', 'skill', 'configured', 'own'] as const;
        const other = { ...given, runOption: one.runOption, isRequested: one.isRequested };
        fc.pre(one.runOption !== 'all');
        const speaks = fields.findIndex((field) => one[field] !== null);
        fc.pre(speaks !== -1 && speaks <= depth);
        const below = Object.fromEntries(fields.slice(depth + 1).map((field) => [field, other[field]]));
        expect(resolvePolicy({ ...one, ...below }).gate).toBe(resolvePolicy(one).gate);
      }),
    );
  });

  it('what four eyes must see asks, whatever lets it run, and is refused in a run that asks nobody', () => {
    for (const facts of combinations) {
      const { gate, why } = resolvePolicy({ ...facts, isFourEyes: true });
      expect(gate).toBe(facts.runOption === 'none' ? 'refuse' : 'ask');
      expect(why).toContain('configuration: someone else must approve act (fourEyes)');
    }
  });

  it('all that the configuration approves leaves guarded files to a person, all that the request approves does not', () => {
    for (const facts of combinations.filter(
      ({ runOption, guarded }) => runOption === 'all' && guarded !== null,
    ))
      expect(resolvePolicy(facts).gate).toBe(facts.isRequested ? 'run' : 'ask');
  });

  it('none is left: a person is asked', () => {
    expect(resolvePolicy(silent)).toEqual({ gate: 'ask', why: 'global default: ask' });
    expect(resolvePolicy({ ...silent, runOption: 'none' }).gate).toBe('refuse');
  });

  it('reads like a sentence', () => {
    const taint = 'http_get (c2)';
    expect(resolvePolicy({ ...silent, taint, grant: 3, configured: false, own: true }).why).toBe(
      'taint: http_get (c2) brought untrusted text, over session grant 3, configuration: confirm act does not ask',
    );
    expect(resolvePolicy({ ...silent, grant: 3, own: true }).why).toBe(
      'session grant 3, over tool default: act asks',
    );
  });
});
