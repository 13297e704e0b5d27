import { expect, it } from 'vitest';
import type { ToolContext } from '../../src/protocol/tool.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { tool, withModel } from '../support/detent.ts';

it('a tool that changes its principal changes it for no other call', async () => {
  const seen: unknown[] = [];
  const run = (_: unknown, { principal }: ToolContext) => {
    seen.push({ ...principal.claims });
    principal.claims.role = 'admin';
    return 'done';
  };
  const call = { toolCalls: [{ name: 'meddle' }] };
  const detent = withModel(scriptedModel([call, call, { text: 'done' }]), {
    tools: { define: [tool('meddle', { run })] },
  });
  const principal = { tenantId: 1, userId: 'ann', claims: { role: 'guest' } };
  await detent.run('go', { principal }).result;
  expect(seen).toEqual([{ role: 'guest' }, { role: 'guest' }]);
});
