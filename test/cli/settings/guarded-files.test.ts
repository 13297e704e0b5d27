import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { answering, by, newWorkspace } from '../../support/cli.ts';

const write = (path: string) => [
  { calls: [{ name: 'write_file', arguments: { path, content: 'planted' } }] },
  { text: 'ok' },
];

const files = {
  'detent.config.ts': `import { rules } from './rules.ts';\nexport default { policy: { approve: rules } };`,
  'rules.ts': `export { rules } from './deeper.ts';`,
  'deeper.ts': `export const rules = 'all' as const;`,
  'other.ts': 'export {};',
};

it.each([
  ['detent.config.ts', 5],
  ['rules.ts', 5],
  ['deeper.ts', 5],
  ['other.ts', 0],
])('what the configuration executes is written only with a person: %s', async (path, exitCode) => {
  const workspace = await newWorkspace(files);
  const { code } = await workspace.detent(['run', 'go', '--quiet', ...by(await answering(...write(path)))]);
  expect(code).toBe(exitCode);
  const content = await readFile(workspace.path(path), 'utf8');
  expect(content === 'planted').toBe(exitCode === 0);
});

it('a flag of this run counts for it, a variable does not', async () => {
  const workspace = await newWorkspace({ 'detent.config.yaml': 'policy: { approve: all }\n' });
  const run = async () => ['run', 'go', '--quiet', ...by(await answering(...write('package.json')))];
  const env = { DETENT_POLICY_APPROVE: 'all' };
  expect((await workspace.detent(await run(), { env })).code).toBe(5);
  expect((await workspace.detent([...(await run()), '--approve', 'all'])).code).toBe(0);
  expect(await readFile(workspace.path('package.json'), 'utf8')).toBe('planted');
});
