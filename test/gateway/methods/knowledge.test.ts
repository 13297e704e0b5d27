import { mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryWorkspace } from '../../support/detent.ts';
import { served } from '../support.ts';

it('a client is told of the tools and the skills of its own tenant', async () => {
  const workspace = await temporaryWorkspace();
  await mkdir(join(workspace, 'skills/secret-plan'), { recursive: true });
  const text = '---\nname: secret-plan\ndescription: Of tenant 1.\n---\nDo it.\n';
  await writeFile(join(workspace, 'skills/secret-plan/SKILL.md'), text);
  const { detent, http, token } = await served([], { workspace });
  const { id } = await detent.tenants.create({ name: 'guests' });
  const theirs = await token({ tenantId: id });
  const enabled = async (shown?: string) => {
    const { body } = await http('/api/v1/tools', { ...(shown !== undefined && { token: shown }) });
    const tools = body.tools as unknown as { name: string; disabled: string | null }[];
    return tools.filter(({ disabled }) => disabled === null).map(({ name }) => name);
  };
  expect(await enabled()).toContain('read_file');
  expect(await enabled(theirs)).toContain('calculator');
  expect(await enabled(theirs)).not.toContain('read_file');
  expect(JSON.stringify((await http('/api/v1/skills')).body)).toContain('secret-plan');
  expect(JSON.stringify((await http('/api/v1/skills', { token: theirs })).body)).not.toContain('secret-plan');
});

it('a client is not told which folder of the machine cannot be used', async () => {
  const folder = await temporaryWorkspace();
  await mkdir(join(folder, 'acme'));
  const { detent, http, token } = await served([], { onError: () => {} });
  const { id } = await detent.tenants.create({ name: 'acme', workspace: join(folder, 'acme') });
  await rename(join(folder, 'acme'), join(folder, 'moved'));
  await symlink(join(folder, 'moved'), join(folder, 'acme'));
  const refused = await http('/api/v1/runs', {
    method: 'POST',
    body: { prompt: 'hello' },
    token: await token({ tenantId: id }),
  });
  expect(refused).toMatchObject({ status: 500, body: { code: 'INTERNAL' } });
  expect(JSON.stringify(refused.body)).not.toContain(folder);
});
