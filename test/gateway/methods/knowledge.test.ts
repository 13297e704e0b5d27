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

it('says by code why a tool or a skill is off, and how a model failed, to a client without what is the operator’s', async () => {
  const workspace = await temporaryWorkspace();
  await mkdir(join(workspace, 'skills/plan'), { recursive: true });
  await writeFile(join(workspace, 'skills/plan/SKILL.md'), '---\nname: plan\ndescription: Plans.\n---\n');
  const allowed = ['calculator', 'write_file', 'schedule_job'];
  const message =
    'https://api.acme refused the credentials (401): key 7. Check the API key set for this provider.';
  const failing = { error: { kind: 'auth', code: 'MODEL_AUTH', message, retryable: false } } as const;
  const { detent, http, token } = await served([failing], {
    ...{ workspace, skills: { disabled: ['plan'] } },
    tools: { allowed, disabled: ['write_file'] },
  });
  type Off = { name: string; disabled: string | null; disabledReason?: object };
  const read = async (shown?: string) => {
    const asked = { ...(shown !== undefined && { token: shown }) };
    const tools = (await http('/api/v1/tools', asked)).body.tools as unknown as Off[];
    const { skills } = (await http('/api/v1/skills', asked)).body.skills as unknown as { skills: object[] };
    const of = (wanted: string) => tools.find(({ name }) => name === wanted);
    return { of, skills };
  };
  const operator = await read();
  expect(operator.of('calculator')).not.toHaveProperty('disabledReason');
  expect(operator.of('write_file')).toMatchObject({
    disabled: 'configuration: tools.disabled has it',
    disabledReason: { code: 'config_disables', params: { field: 'tools.disabled' } },
  });
  expect(operator.of('schedule_job')).toMatchObject({
    disabled: 'NO_SCHEDULER: this process runs no schedule; "detent serve" does',
    disabledReason: { code: 'no_scheduler', params: {} },
  });
  expect(operator.skills).toContainEqual(
    expect.objectContaining({ off: 'configuration: skills.disabled has it', offReason: expect.anything() }),
  );
  const client = await read(await token({ scopes: ['read'] }));
  expect(client.of('write_file')).toMatchObject({
    disabled: 'the rules of this service say so',
    disabledReason: { code: 'service_rules' },
  });
  const { runId } = await detent.run('hello').result;
  const errorOf = async (shown?: string) =>
    (await http(`/api/v1/runs/${runId}`, { ...(shown !== undefined && { token: shown }) })).body.error;
  const params = { origin: 'https://api.acme', status: '401', said: 'key 7' };
  expect(await errorOf()).toMatchObject({ message, reason: { code: 'model_auth', params } });
  expect(await errorOf(await token({ scopes: ['read'] }))).toMatchObject({
    message: 'the model cannot be used at the moment',
    reason: { code: 'client_model_unavailable', params: {} },
  });
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

it('the chart of an earlier version of a machine is drawn as it was', async () => {
  const { http } = await served([]);
  for (const method of ['machine', 'machine/layout']) {
    const versionOf = async (query: string) =>
      (await http(`/api/v1/${method}?name=run${query}`)).body.version;
    expect([await versionOf(''), await versionOf('&version=1')], method).toEqual([4, 1]);
    expect(await http(`/api/v1/${method}?name=run&version=999`), method).toMatchObject({ status: 404 });
  }
});

it('budgets come with the usage, but not for a user: they are the tenant’s', async () => {
  const { connect, token } = await served([], { budgets: { team: { maxTokens: 1_000, per: 'day' } } });
  type Usage = { budgets: { name: string; tokens: { limit: number } }[] };
  const all = await connect();
  expect((await all.ask<Usage>('usage.get')).budgets).toMatchObject([
    { name: 'team', tokens: { limit: 1_000 } },
  ]);
  const ada = await connect(await token({ userId: 'ada' }));
  expect((await ada.ask<Usage>('usage.get')).budgets).toEqual([]);
});

it('a user sees what the own conversations cost, and nothing of those of others', async () => {
  const script = Array.from({ length: 4 }, () => ({ text: 'Good day.' }));
  const { detent, connect, http, token } = await served(script);
  const adas = { principal: { userId: 'ada' } };
  await detent.run('hello', { sessionId: 'tea', ...adas }).result;
  const { runId } = await detent.run('hello', { sessionId: 'coffee', ...adas }).result;
  const bobs = await detent.run('hello', { sessionId: 'secret', principal: { userId: 'bob' } }).result;
  await detent.run('hello', { sessionId: 'open' }).result;
  type Usage = { groups: { key: string; calls: number }[]; total: { calls: number } };
  const shown = await token({ userId: 'ada' });
  const ada = await connect(shown);
  const keys = ({ groups }: Usage) => groups.map(({ key, calls }) => [key, calls]);
  const own = await ada.ask<Usage>('usage.get', { by: 'session' });
  expect(keys(own)).toEqual([
    ['coffee', 1],
    ['tea', 1],
  ]);
  expect(own.total.calls).toBe(2);
  expect(keys(await ada.ask<Usage>('usage.get', { by: 'user' }))).toEqual([['ada', 2]]);
  expect((await ada.ask<Usage>('usage.get', { runId })).total.calls).toBe(1);
  const over = async (query: string) =>
    (await http(`/api/v1/usage?${query}`, { token: shown })).body as unknown as Usage;
  expect(keys(await over('by=run'))).not.toContainEqual([bobs.runId, 1]);
  expect((await over('by=day')).total.calls).toBe(2);
  expect(await ada.refused('usage.get', { sessionId: 'secret' })).toMatchObject({ code: 'NOT_FOUND' });
  expect(await ada.refused('usage.get', { sessionId: 'open' })).toMatchObject({ code: 'NOT_FOUND' });
  const all = await connect();
  expect(keys(await all.ask<Usage>('usage.get', { by: 'user' })).sort()).toEqual([
    ['', 1],
    ['ada', 2],
    ['bob', 1],
  ]);
  // What is deleted was paid all the same.
  await detent.sessions.delete('tea');
  expect((await over('by=session')).groups.map(({ key }) => key).sort()).toEqual(['', 'coffee']);
});

it('the chart of a machine comes as a Mermaid diagram, too', async () => {
  const client = await (await served([])).connect();
  const { mermaid } = await client.ask<{ mermaid: string }>('machine.get', { name: 'job' });
  expect(mermaid).toMatch(/^stateDiagram-v2\n {2}\[\*\] --> idle\n/);
  expect(mermaid).toContain('due --> folded: [isLong]');
  // A transition of the machine itself.
  expect(mermaid).toContain('root --> removed: job.remove');
});
