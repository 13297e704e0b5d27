import { describe, expect, it } from 'vitest';
import type { PlanContext } from '../../../src/protocol/ports/toolbox.ts';
import type { ToolDefinition } from '../../../src/protocol/tool.ts';
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

  it('reads the grants of the session for a call that would not run without one', async () => {
    const toolbox = createToolbox({ tools: [fakeTool()], allowed: null, confirm: {} });
    const strict = createToolbox({ tools: [fakeTool()], allowed: null, confirm: { fake: true } });
    let asked = 0;
    const grants = async () => {
      asked++;
      return [{ n: 3, tool: 'fake', pattern: {} }];
    };
    expect(await toolbox.plan('fake', '{}', planContext({ grants }))).toMatchObject({ gate: 'run' });
    expect(asked).toBe(0);
    for (const approve of ['ask', 'none'] as const)
      expect(await strict.plan('fake', '{}', planContext({ approve, grants }))).toMatchObject({
        gate: 'run',
        why: 'session grant 3, over configuration: confirm fake asks',
      });
    expect(asked).toBe(2);
  });
});
