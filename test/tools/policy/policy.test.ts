import { describe, expect, it } from 'vitest';
import type { ToolDefinition } from '../../../src/ports/tool.ts';
import type { PlanContext } from '../../../src/ports/toolbox.ts';
import { createToolbox } from '../../../src/tools/toolbox.ts';
import { fakeTool, planContext } from '../helpers.ts';

type Definition = Partial<ToolDefinition<Record<string, never>>>;

function decide(definition: Definition, approve: PlanContext['approve'] = 'ask', confirm = {}) {
  const toolbox = createToolbox({ tools: [fakeTool(definition)], allowed: null, confirm });
  return toolbox.plan('fake', '{}', planContext({ approve, approveGiven: approve === 'all' }));
}

const fails = () => {
  throw new Error('broken rule');
};

describe('confirmation policy', () => {
  it('follows the tool when nothing more specific speaks', async () => {
    expect(await decide({ confirm: true })).toMatchObject({ gate: 'ask', why: 'tool default: fake asks' });
    expect(await decide({ confirm: false, sideEffect: 'unsafe' })).toMatchObject({
      gate: 'run',
      sideEffect: 'unsafe',
    });
  });

  it('lets the configuration replace the tool’s own default, both ways', async () => {
    expect(await decide({ confirm: false }, 'ask', { fake: true })).toMatchObject({
      gate: 'ask',
      why: 'configuration: confirm fake asks, over tool default: fake does not ask',
    });
    expect(await decide({ sideEffect: 'unsafe' }, 'ask', { fake: false })).toMatchObject({ gate: 'run' });
  });

  it('lets a run approve all, over the configuration', async () => {
    expect(await decide({ sideEffect: 'unsafe' }, 'all', { fake: true })).toEqual({
      gate: 'run',
      sideEffect: 'unsafe',
      why: 'run option: approve all, over configuration: confirm fake asks, tool default: fake asks',
    });
  });

  it('refuses for a run with approve none exactly what would have asked', async () => {
    expect(await decide({ sideEffect: 'unsafe' }, 'none')).toEqual({
      gate: 'refuse',
      code: 'REJECTED_BY_POLICY',
      text: "fake needs a person's approval, and this run asks nobody. Go on without it.",
      why: 'run option: approve none (tool default: fake asks)',
    });
    expect(await decide({ sideEffect: 'readonly' }, 'none')).toMatchObject({ gate: 'run' });
    expect(await decide({ sideEffect: 'unsafe' }, 'none', { fake: false })).toMatchObject({ gate: 'run' });
  });

  it('asks about what writes or sends once untrusted text is there, and about nothing else', async () => {
    const tainted = [{ tool: 'mail', call: 'c2', at: 1 }];
    const under = (definition: Definition, over: Partial<PlanContext> = {}, taint?: 'off') => {
      const options = { allowed: null, ...(taint && { taint }) };
      const toolbox = createToolbox({ tools: [fakeTool({ confirm: false, ...definition })], ...options });
      return toolbox.plan('fake', '{}', planContext({ tainted, ...over }));
    };
    for (const sideEffect of ['idempotent', 'probe', 'unsafe'] as const)
      expect(
        await under({ sideEffect, ...(sideEffect === 'probe' && { status: () => ({ unknown: true }) }) }),
      ).toMatchObject({
        gate: 'ask',
        why: 'taint: mail (c2) brought untrusted text, over tool default: fake does not ask',
      });
    expect(await under({ sideEffect: 'readonly' })).toMatchObject({ gate: 'run' });
    expect(await under({ sideEffect: 'readonly', sends: true })).toMatchObject({ gate: 'ask' });
    expect(await under({ sideEffect: 'readonly', sends: fails })).toMatchObject({ gate: 'ask' });
    expect(await under({ sideEffect: 'idempotent', sends: false })).toMatchObject({ gate: 'run' });
    expect(await under({ sideEffect: 'unsafe' }, { approve: 'all' })).toMatchObject({ gate: 'run' });
    expect(await under({ sideEffect: 'unsafe' }, { approve: 'none' })).toMatchObject({ gate: 'refuse' });
    const grants = [{ n: 1, tool: 'fake', pattern: {} }];
    expect(await under({ sideEffect: 'unsafe' }, { grants })).toMatchObject({ gate: 'ask' });
    expect(await under({ sideEffect: 'unsafe' }, {}, 'off')).toMatchObject({ gate: 'run' });
  });

  it('lets a grant of the session answer for its tool and its arguments, and for no other', async () => {
    const under = (tool: string, pattern: object, approve: PlanContext['approve'] = 'ask') =>
      createToolbox({ tools: [fakeTool({ sideEffect: 'unsafe' })], allowed: null }).plan(
        'fake',
        '{}',
        planContext({ approve, grants: [{ n: 4, tool, pattern: pattern as never }] }),
      );
    expect(await under('fake', {})).toMatchObject({
      gate: 'run',
      why: 'session grant 4, over tool default: fake asks',
    });
    expect(await under('fake', {}, 'none')).toMatchObject({ gate: 'run' });
    expect(await under('fake', { a: { is: 1 } })).toMatchObject({ gate: 'ask' });
    expect(await under('other', {})).toMatchObject({ gate: 'ask' });
  });

  it('asks when the tool’s own rule throws', async () => {
    expect(await decide({ confirm: fails })).toMatchObject({ gate: 'ask', why: 'global default: ask' });
    expect(await decide({ confirm: fails }, 'none')).toMatchObject({ code: 'REJECTED_BY_POLICY' });
    expect(await decide({ confirm: fails }, 'all')).toMatchObject({ gate: 'run' });
  });

  it('takes a class that throws or is none as unsafe, and asks', async () => {
    expect(await decide({ sideEffect: fails })).toMatchObject({ gate: 'ask', sideEffect: 'unsafe' });
    expect(await decide({ sideEffect: () => 'harmless' as never })).toMatchObject({ sideEffect: 'unsafe' });
  });

  it('waits for a rule that was written async by mistake', async () => {
    expect(await decide({ confirm: (async () => false) as never })).toMatchObject({ gate: 'run' });
    expect(await decide({ confirm: (async () => fails()) as never })).toMatchObject({ gate: 'ask' });
  });

  it('does not take an inherited property for configuration', async () => {
    const toolbox = createToolbox({ tools: [fakeTool({ name: 'constructor' })], allowed: null, confirm: {} });
    expect(await toolbox.plan('constructor', '', planContext())).toMatchObject({ gate: 'run' });
  });
});
