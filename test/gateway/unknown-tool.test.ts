import { expect, it } from 'vitest';
import { served } from './support.ts';

it('refuses a call of a tool that there is not before it makes a run', async () => {
  const { detent, http } = await served([]);
  const { status, body } = await http('/api/v1/tools/calculater/calls', {
    method: 'POST',
    body: { input: { expression: '1 + 1' } },
  });
  expect([status, body.code]).toEqual([400, 'UNKNOWN_TOOL']);
  expect(body.detail).toContain('did you mean "calculator"?');
  expect(await detent.runs.list()).toEqual([]);
});
