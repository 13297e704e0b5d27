import { expect, it } from 'vitest';
import { builtinTools } from '../../../src/tools/builtin/index.ts';
import { tenantToolbox } from '../../../src/tools/policy/tenant-toolbox.ts';
import { createToolbox } from '../../../src/tools/toolbox.ts';
import { fakeTool, planContext, toolContext } from '../helpers.ts';

const ofFiles = ['edit_file', 'grep', 'list_files', 'read_file', 'write_file'];
const ofShell = ['shell', 'shell_kill', 'shell_output'];
const others = ['ask_user', 'calculator', 'datetime', 'fake', 'http_get', 'task', 'todo', 'unit_convert'];

function toolbox(hasWorkspace: boolean, isShellConfined: boolean) {
  const whole = createToolbox({ tools: [...builtinTools(), fakeTool()], allowed: null });
  return tenantToolbox(whole, { hasWorkspace, isShellConfined });
}

it.each([
  ['a workspace and a sandbox', true, true, [...ofFiles, ...ofShell, ...others]],
  ['a workspace', true, false, [...ofFiles, ...others]],
  ['a sandbox', false, true, others],
  ['neither', false, false, others],
])('a tenant with %s is offered these tools', async (_, hasWorkspace, isShellConfined, names) => {
  const box = toolbox(hasWorkspace, isShellConfined);
  expect(box.specs(null).map(({ name }) => name)).toEqual([...names].sort());
  const off = box.views().filter(({ disabled }) => disabled !== null);
  expect(off.map(({ name }) => name)).toEqual(
    [...ofFiles, ...ofShell].filter((name) => !names.includes(name)).sort(),
  );
  for (const { name } of off) {
    expect(await box.plan(name, '{}', planContext())).toMatchObject({ gate: 'refuse', why: 'tenant' });
    expect(await box.run(name, '{}', toolContext())).toMatchObject({ isError: true });
    expect(await box.status(name, '{}', toolContext())).toBeNull();
  }
});

it('a list of allowed tools gives none of them back', async () => {
  const box = toolbox(false, true);
  expect(box.specs(['read_*', 'fake']).map(({ name }) => name)).toEqual(['fake']);
  const plan = await box.plan('read_file', '{"path":"a"}', planContext({ allowed: ['*'] }));
  expect(plan).toMatchObject({ gate: 'refuse', code: 'NO_WORKSPACE' });
});

it('a call of another tool names those alone that the tenant has', async () => {
  const plan = await toolbox(false, true).plan('read_fil', '{}', planContext());
  expect(plan).toMatchObject({ gate: 'refuse', code: 'UNKNOWN_TOOL', text: expect.stringContaining('fake') });
  expect(plan).not.toMatchObject({ text: expect.stringContaining('read_file') });
});

it('file tools themselves refuse to work without a folder', async () => {
  const whole = createToolbox({ tools: builtinTools(), allowed: null });
  const ctx = toolContext({ workspace: null, mayWriteGuarded: true });
  const args = {
    read_file: { path: 'a' },
    write_file: { path: 'a', content: '' },
    edit_file: { path: 'a', old_text: 'a', new_text: 'b' },
    list_files: {},
    grep: { pattern: 'a' },
    shell: { command: 'ls' },
  };
  for (const [name, given] of Object.entries(args))
    expect(await whole.run(name, JSON.stringify(given), ctx)).toMatchObject({ code: 'NO_WORKSPACE' });
});

it('a tool that writes files asks a person when there is no folder to check them in', async () => {
  const writer = fakeTool({ name: 'writer', writes: () => ['a.txt'], confirm: false });
  const box = createToolbox({ tools: [writer], allowed: null });
  expect(await box.plan('writer', '{}', planContext({ workspace: null }))).toMatchObject({ gate: 'ask' });
  expect(await box.plan('writer', '{}', planContext())).toMatchObject({ gate: 'run' });
});
