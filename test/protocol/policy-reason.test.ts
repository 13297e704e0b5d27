import { describe, expect, it } from 'vitest';
import { isOfRule, readReason, reasonText } from '../../src/protocol/views.ts';
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
    ['taint', { ...facts, taint: 'http_get (c2) brought untrusted text', grant: 1 }],
    ['session_grant', { ...facts, grant: 12 }],
    ['skill_asks', { ...facts, askingSkill: 'tidy' }],
    ['skill_allows', { ...facts, skill: 'tidy' }],
    ['global_default', { ...facts, own: null }],
  ] as const)('is read back by its code: %s', (code, given) => {
    expect(readReason(resolvePolicy(given).why)).toMatchObject({ code });
  });

  it('keeps what it names, apart from the rules that it overrode', () => {
    const { why } = resolvePolicy({ ...facts, taint: 'http_get (c2) brought untrusted text', grant: 1 });
    expect(readReason(why)).toEqual({
      code: 'taint',
      params: { sources: 'http_get (c2) brought untrusted text' },
      over: 'session grant 1',
    });
  });

  it('is no question of a chart, and is a rule in another version, too', () => {
    expect([readReason('Pay 45 EUR?'), isOfRule('Pay 45 EUR?')]).toEqual([null, false]);
    expect([readReason('configuration: a later rule'), isOfRule('configuration: a later rule')]).toEqual([
      null,
      true,
    ]);
    expect(isOfRule(reasonText('agent_asks'))).toBe(true);
  });
});
