import { describe, expect, it } from 'vitest';
import { httpError } from '../../src/models/wire/http-error.ts';
import { isOfRule } from '../../src/protocol/sentences/policy-reason.ts';
import { skillProblems } from '../../src/protocol/sentences/skill-problem.ts';
import {
  budgetErrorText,
  errorReasonOf,
  loopErrors,
  modelErrorText,
  offReasonOf,
  offText,
  reasonForClients,
  reasonOf,
  reasonText,
  saidReason,
  skillProblem,
  withValues,
} from '../../src/protocol/views.ts';
import { resolvePolicy } from '../../src/tools/policy/resolve.ts';

const facts = {
  ...({ tool: 'pay', runOption: 'ask', isRequested: false, isFourEyes: false } as const),
  ...{ guarded: null, taint: null, grant: null, skill: null, askingSkill: null, configured: null, own: true },
};

describe('the reason of a rule', () => {
  it.each([
    ['tool_asks', facts],
    ['tool_asks_user', { ...facts, own: 'user' }],
    ['tool_staff', { ...facts, own: 'staff' }],
    ['config_asks', { ...facts, configured: true }],
    ['config_does_not_ask', { ...facts, configured: false }],
    ['config_staff', { ...facts, configured: 'staff' }],
    ['config_four_eyes', { ...facts, isFourEyes: true }],
    ['config_approves_all', { ...facts, runOption: 'all' }],
    ['run_approves_all', { ...facts, runOption: 'all', isRequested: true }],
    ['run_refuses', { ...facts, runOption: 'none' }],
    ['guarded', { ...facts, guarded: '.git/config, over which git runs programs' }],
    ['taint', { ...facts, taint: 'http_get (c2)', grant: 1 }],
    ['session_grant', { ...facts, grant: 12 }],
    ['skill_asks', { ...facts, askingSkill: 'tidy' }],
    ['skill_allows', { ...facts, skill: 'tidy' }],
    ['global_default', { ...facts, own: null }],
  ] as const)('is read back by its code: %s', (code, given) => {
    expect(reasonOf(resolvePolicy(given).why)).toMatchObject({ code });
  });

  it('keeps what it names, apart from the rules that it overrode', () => {
    const { why } = resolvePolicy({
      ...facts,
      taint: 'http_get (c2), inbox (c5, in an earlier run)',
      grant: 1,
      configured: false,
    });
    expect(reasonOf(why)).toEqual({
      code: 'taint',
      params: {
        sources: [
          { code: 'source', params: { tool: 'http_get', call: 'c2' } },
          { code: 'source_earlier', params: { tool: 'inbox', call: 'c5' } },
        ],
        over: [
          { code: 'session_grant', params: { grant: '1' } },
          { code: 'config_does_not_ask', params: { tool: 'pay' } },
        ],
      },
    });
    expect(
      reasonOf('guarded: a, b, by which git can be made to execute something, over session grant 2'),
    ).toEqual({
      code: 'guarded_program',
      params: { file: 'a, b', program: 'git', over: [{ code: 'session_grant', params: { grant: '2' } }] },
    });
    expect(reasonOf('run option: approve none (tool default: pay asks)')).toEqual({
      code: 'run_refuses',
      params: { why: { code: 'tool_asks', params: { tool: 'pay' } } },
    });
  });

  it('is read by a client without what the rules of the service are', () => {
    const read = (why: string) => reasonForClients(saidReason(why)).code;
    expect(read('tool default: pay asks')).toBe('service_rules');
    expect(read('configuration: a later rule')).toBe('service_rules');
    expect(read('taint: inbox brought untrusted text, over session grant 1')).toBe('outside_text');
    expect(read('configuration: someone else must approve pay (fourEyes)')).toBe('someone_else');
    expect(read('the process died while this call was running')).toBe('died_while_running');
    expect(reasonForClients(saidReason('Pay 45 EUR?')).params).toEqual({ text: 'Pay 45 EUR?' });
  });

  it('is no question of a chart, and is a rule in another version, too', () => {
    expect([reasonOf('Pay 45 EUR?'), isOfRule('Pay 45 EUR?')]).toEqual([null, false]);
    expect([reasonOf('configuration: a later rule'), isOfRule('configuration: a later rule')]).toEqual([
      null,
      true,
    ]);
    expect(isOfRule(reasonText('agent_asks'))).toBe(true);
  });
});

describe('the reason of an error of a provider, and of a tool that is off', () => {
  const refused = (status: number, message: string) =>
    httpError({
      status,
      headers: {},
      body: JSON.stringify({ error: { message } }),
      origin: 'https://api.acme',
    });

  it.each([
    [401, 'wrong key', 'model_auth', 'wrong key'],
    [401, 'Is this a key?', 'model_auth', 'Is this a key?'],
    [403, 'no (really). Ask them.', 'model_permission', 'no (really). Ask them'],
    [402, 'pay: now', 'model_out_of_credit', 'pay: now'],
    [400, 'maximum context length is 8', 'model_context_overflow', 'maximum context length is 8'],
    [529, 'later', 'model_overloaded', 'later'],
  ])('is read back by its code, with the words of the provider: %i %s', (status, message, code, said) => {
    const error = refused(status, message);
    expect(errorReasonOf(error.message)).toEqual({
      code,
      params: { origin: 'https://api.acme', status: `${status}`, said },
    });
    expect(error.message).toMatch(/[.?]( [A-Z]|$)/);
    expect(error.message).not.toMatch(/[?.]\./);
  });

  it('keeps what each model of a list said', () => {
    const tries = `(1) acme/large: MODEL_SERVER: ${refused(500, 'oops').message} (2) acme/small: MODEL_X: odd words`;
    const params = { origin: 'https://api.acme', status: '500', said: 'oops' };
    expect(
      errorReasonOf(withValues(loopErrors.model_none_answered, { count: 2, tries }))?.params.tries,
    ).toEqual([
      {
        code: 'model_of_list',
        params: {
          ...{ n: '1', model: 'acme/large', code: 'MODEL_SERVER' },
          said: { code: 'model_server', params },
        },
      },
      { code: 'model_of_list', params: { n: '2', model: 'acme/small', code: 'MODEL_X', said: 'odd words' } },
    ]);
  });

  it('is read back by its code before a call, too', () => {
    const params = { provider: 'acme', variable: 'ACME_API_KEY' };
    expect(errorReasonOf(modelErrorText('model_key_missing', params))).toEqual({
      code: 'model_key_missing',
      params,
    });
    const unknown = { provider: 'acme', known: 'demo, openai' };
    expect(errorReasonOf(modelErrorText('model_provider_unknown', unknown))?.params).toEqual(unknown);
    const address = 'http://127.0.0.1:8080/v1';
    const stored = {
      model: 'any/qwen3',
      address,
      provider: 'any',
      command: '--model any/qwen3 --base-url URL',
    };
    expect(errorReasonOf(modelErrorText('model_address_not_named', stored))?.params).toEqual(stored);
    const url = { url: 'ftp://x', variable: 'OPENAI_BASE_URL', example: address };
    expect(errorReasonOf(modelErrorText('model_base_url', url))?.params).toEqual(url);
  });

  it.each(Object.keys(skillProblems) as (keyof typeof skillProblems)[])(
    'is read back where the file of a skill is not as it should be: %s',
    (code) => {
      const named = [...skillProblems[code].matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, '7']);
      const params = Object.fromEntries(named);
      expect(saidReason(skillProblem(code, params))).toEqual({ code, params });
    },
  );

  it('is read back where a budget admits no call', () => {
    const used = { spent: '12', max: '10', spentUsd: '$0.1000', maxUsd: '$0.05' };
    const params = { name: 'team', user: 'ann', ...used, per: 'month' };
    const text = budgetErrorText('budget_used_up', params);
    expect(text).toBe(
      'budget "team" of user "ann" is used up: 12 of 10 tokens ($0.1000 of $0.05); raise budgets.team in the configuration, or wait: it resets with the next month (UTC)',
    );
    expect(errorReasonOf(text)).toEqual({ code: 'budget_used_up', params });
    const held = { name: 'team', count: '3', minutes: '15' };
    expect(errorReasonOf(budgetErrorText('budget_held', held))).toEqual({
      code: 'budget_held',
      params: held,
    });
  });

  it('counts, and is left out for words of anyone else', () => {
    const open = (failures: number) =>
      errorReasonOf(modelErrorText('model_circuit_open', { model: 'acme/large', failures, seconds: 9 }));
    expect([1, 5].map((n) => open(n)?.params.failures)).toEqual([1, 5]);
    expect(
      offReasonOf(offText('tool_changed', { server: 'a b', tool: 't', command: 'x "y"' }))?.params,
    ).toEqual({
      ...{ server: 'a b', tool: 't', command: 'x "y"' },
    });
    expect(errorReasonOf('acme is on fire')).toBeNull();
  });

  it('is read by a client without what the operator reads', () => {
    const said = errorReasonOf(refused(401, 'key sk-1').message);
    expect(said && reasonForClients(said)).toEqual({ code: 'for_operators', params: {} });
    expect(reasonForClients(saidReason(`NO_SCHEDULER: ${offText('no_scheduler')}`)).code).toBe(
      'service_rules',
    );
  });
});
