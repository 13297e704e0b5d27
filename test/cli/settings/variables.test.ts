import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { variableOf } from '../../../src/cli/settings/variable-names.ts';
import {
  applyVariables,
  fieldsFromVariables,
  misspeltVariables,
} from '../../../src/cli/settings/variables.ts';
import { type ConfigField, configFields } from '../../../src/protocol/config/list-fields.ts';

const fields = configFields();

/** A value that the field takes, and how it is written in a variable. */
function written({ path, kind, choices }: ConfigField): fc.Arbitrary<{ value: unknown; text: string }> {
  const word = fc.stringMatching(/^[A-Za-z][A-Za-z0-9_/.-]{0,20}$/);
  switch (kind) {
    case 'text':
      return word.map((value) => ({ value, text: value }));
    case 'number': {
      const whole = fc.integer({ min: 1, max: 2 ** 31 });
      const share = fc.double({ min: 0.3, max: 0.5, noNaN: true });
      if (/At$|Share$/.test(path)) return share.map((value) => ({ value, text: String(value) }));
      const any = /Usd$|Ms$/.test(path)
        ? fc.oneof(whole, fc.double({ min: 0.001, max: 1e9, noNaN: true }))
        : whole;
      return any.map((value) => ({ value, text: String(value) }));
    }
    case 'boolean':
      return fc.boolean().map((value) => ({ value, text: String(value) }));
    case 'choice':
      return fc.constantFrom(...choices).map((value) => ({ value, text: value }));
    case 'list':
      return fc
        .array(word, { minLength: 1, maxLength: 7 })
        .chain((value) =>
          fc.constantFrom(',', ', ', ' ,').map((comma) => ({ value, text: value.join(comma) })),
        );
  }
}

function at(config: unknown, path: string): unknown {
  return path.split('.').reduce((inner, key) => (inner as Record<string, unknown>)?.[key], config);
}

describe('the variable of a field', () => {
  it.each([
    ['model', 'DETENT_MODEL'],
    ['limits.maxSteps', 'DETENT_LIMITS_MAX_STEPS'],
    ['limits.maxCostUsd', 'DETENT_LIMITS_MAX_COST_USD'],
    ['tools.allowed', 'DETENT_TOOLS_ALLOWED'],
    ['database.synchronous', 'DETENT_DATABASE_SYNCHRONOUS'],
    ['policy.approve', 'DETENT_POLICY_APPROVE'],
  ])('%s is %s', (path, variable) => {
    expect(fields.map(({ path }) => path)).toContain(path);
    expect(variableOf({ path })).toBe(variable);
  });

  it('is its own: no two fields share one', () => {
    expect(new Set(fields.map(variableOf)).size).toBe(fields.length);
  });

  it.each(fields.map((field) => [field.path, field] as const))(
    '%s: what is written is what is read',
    (path, field) => {
      fc.assert(
        fc.property(written(field), ({ value, text }) => {
          const found = fieldsFromVariables({ [variableOf(field)]: text });
          expect(found).toEqual([{ path, variable: variableOf(field), value }]);
          expect(at(applyVariables({}, found), path)).toEqual(value);
        }),
        { numRuns: 30 },
      );
    },
  );

  it('leaves all other fields as the file has them', () => {
    const config = { model: 'a/b', limits: { maxSteps: 3, maxTokens: 9 } };
    const set = fieldsFromVariables({ DETENT_LIMITS_MAX_STEPS: '5', DETENT_DATABASE_GROUP_COMMIT: '0' });
    expect(applyVariables(config, set)).toEqual({
      model: 'a/b',
      limits: { maxSteps: 5, maxTokens: 9 },
      database: { groupCommit: false },
    });
    expect(config.limits.maxSteps).toBe(3);
  });

  it('that is empty counts as none', () => {
    expect(fieldsFromVariables({ DETENT_MODEL: '', DETENT_LIMITS_MAX_STEPS: undefined })).toEqual([]);
  });

  it('goes before what agents say, too', () => {
    const agents = { brief: { systemPrompt: 'Short.', model: 'a/b', limits: { maxSteps: 1, maxTokens: 2 } } };
    const set = fieldsFromVariables({ DETENT_SYSTEM: 'Loud.', DETENT_LIMITS_MAX_STEPS: '5' });
    expect(applyVariables({ agents }, set)).toEqual({
      system: 'Loud.',
      limits: { maxSteps: 5 },
      agents: { brief: { model: 'a/b', limits: { maxTokens: 2 } } },
    });
  });

  it.each([
    ['DETENT_LIMITS_MAX_STEPS', 'many', /a number, not "many"/],
    ['DETENT_LIMITS_MAX_STEPS', '0x10', /a number/],
    ['DETENT_LIMITS_MAX_STEPS', '0', /limits\.maxSteps: /],
    ['DETENT_LIMITS_MAX_STEPS', '1.5', /limits\.maxSteps: /],
    ['DETENT_DATABASE_GROUP_COMMIT', 'yes', /true or false/],
    ['DETENT_DATABASE_SYNCHRONOUS', 'OFF', /FULL, NORMAL, not "OFF"/],
    ['DETENT_POLICY_APPROVE', 'maybe', /ask, all, none/],
  ])('%s=%s is a configuration that is wrong, and is named', (variable, text, message) => {
    const failing = () => fieldsFromVariables({ [variable]: text });
    expect(failing).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG' }));
    expect(failing).toThrow(message);
    expect(failing).toThrow(variable);
  });
});

describe('a variable that means nothing', () => {
  it('is reported when it looks like one that does', () => {
    expect(misspeltVariables({ DETENT_LIMIT_MAX_STEPS: '5', DETENT_MODLE: 'a/b' })).toEqual([
      'the variable DETENT_LIMIT_MAX_STEPS has no effect; did you mean DETENT_LIMITS_MAX_STEPS?',
      'the variable DETENT_MODLE has no effect; did you mean DETENT_MODEL?',
    ]);
  });

  it('is left alone when it is known, reserved, empty or like nothing', () => {
    const env = {
      DETENT_MODEL: 'a/b',
      DETENT_HOME: '/x',
      DETENT_DEBUG: '1',
      DETENT_TEST_MODEL: 'x',
      DETENT_MODLE: '',
      DETENT_SOMETHING_ELSE_ENTIRELY: 'x',
      PATH: '/bin',
    };
    expect(misspeltVariables(env)).toEqual([]);
  });
});
