import { describe, expect, it } from 'vitest';
import { isOfRule } from '../../src/protocol/sentences/policy-reason.ts';
import { reasonForClients, reasonOf, reasonText, saidReason } from '../../src/protocol/views.ts';
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
