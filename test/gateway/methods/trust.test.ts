import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { revokeTrust, TrustRecords, trustedFolders } from '../../../src/trust/agreements.ts';
import { temporaryWorkspace, tool } from '../../support/detent.ts';
import { served } from '../support.ts';

const records = () => new TrustRecords(process.env);
const trust = {
  folders: () => trustedFolders(records()),
  revoke: (folder: string) => revokeTrust(records(), folder),
};

it('an administrator sees the trusted folders and the tokens, and takes both back', async () => {
  records().keepFolder({ folder: '/shop', at: '2026-01-01T00:00:00Z', files: { b: '1', a: '2' }, texts: {} });
  const { http, token } = await served([], {}, { trust });
  const phone = await token({ scopes: ['read'] });
  const { body } = await http('/api/v1/trust');
  expect(body.folders).toEqual([
    { folder: '/shop', at: '2026-01-01T00:00:00Z', files: ['a', 'b'], mine: false },
  ]);
  const id = phone.slice(0, phone.indexOf('.'));
  expect((body.tokens as unknown as { id: string }[]).map((one) => one.id)).toContain(id);
  expect(JSON.stringify(body)).not.toContain(phone.slice(phone.indexOf('.') + 1));

  const revoke = (folder: string) =>
    http('/api/v1/trust/revocations', { method: 'POST', body: { kind: 'folder', name: folder } });
  expect((await revoke('/shop')).status).toBe(200);
  expect(records().folder('/shop')).toBeNull();
  expect((await revoke('/shop')).body).toMatchObject({ code: 'NOT_FOUND' });
  expect((await http(`/api/v1/tokens/${id}`, { method: 'DELETE' })).status).toBe(200);
  expect((await http('/api/v1/runs', { token: phone })).status).toBe(401);
});

it('other tenants, users and lesser tokens see nothing of what is trusted on the machine', async () => {
  records().keepFolder({ folder: '/mine', at: '2026-01-01T00:00:00Z', files: {}, texts: {} });
  const { detent, http, token } = await served([], {}, { trust });
  const { id } = await detent.tenants.create({ name: 'guests' });
  const mine = await token();
  for (const shown of [await token({ tenantId: id }), await token({ userId: 'ada' })]) {
    const { body } = await http('/api/v1/trust', { token: shown });
    expect(body).toMatchObject({ folders: null, skills: [] });
    expect(JSON.stringify(body)).not.toContain(mine.slice(0, mine.indexOf('.')));
    const post = (path: string, sent: unknown) => http(path, { method: 'POST', body: sent, token: shown });
    expect((await post('/api/v1/trust/revocations', { kind: 'folder', name: '/mine' })).status).toBe(404);
    expect((await post('/api/v1/trust/revocations', { kind: 'skill', name: 'any' })).status).toBe(404);
    const theirs = `/api/v1/tokens/${mine.slice(0, mine.indexOf('.'))}`;
    expect((await http(theirs, { method: 'DELETE', token: shown })).status).toBe(404);
  }
  expect(
    (await http('/api/v1/trust', { token: await token({ scopes: ['read', 'write', 'approve'] }) })).status,
  ).toBe(403);
  expect(records().folder('/mine')).not.toBeNull();
});

it('a program that keeps no records of trust says so', async () => {
  const { http } = await served([]);
  expect((await http('/api/v1/trust')).body.folders).toBeNull();
});

it('all grants of the sessions that a caller sees are listed together', async () => {
  const call = { toolCalls: [{ name: 'pay', arguments: {} }] };
  const script = [call, { text: 'ok' }, call, { text: 'ok' }];
  const { detent, http, token } = await served(script, {
    tools: { define: [tool('pay', { sideEffect: 'unsafe' })] },
  });
  for (const [session, userId] of [
    ['open', null],
    ['hers', 'ada'],
  ] as const) {
    const { runId, pending } = await detent.run('pay', {
      sessionId: session,
      ...(userId && { principal: { userId } }),
    }).result;
    await detent.runs.confirm(runId, pending[0]?.callId ?? '', { verdict: 'approve', grant: {} });
    await detent.runs.attach(runId).result;
  }
  const sessions = async (shown?: string) => {
    const { body } = await http('/api/v1/grants', { ...(shown !== undefined && { token: shown }) });
    return (body.grants as unknown as { sessionId: string }[]).map(({ sessionId }) => sessionId).sort();
  };
  expect(await sessions()).toEqual(['hers', 'open']);
  expect(await sessions(await token({ userId: 'ada' }))).toEqual(['hers']);
});

it('the files of a memory are listed, and a skill is shown with its text', async () => {
  const workspace = await temporaryWorkspace();
  await mkdir(join(workspace, 'memory'));
  await writeFile(join(workspace, 'MEMORY.md'), '- likes green tea\n');
  await writeFile(join(workspace, 'memory/2026-01-01.md'), 'rain\n');
  await mkdir(join(workspace, 'skills/tea'), { recursive: true });
  const text = '---\nname: tea\ndescription: Makes tea.\n---\nBoil water.\n';
  await writeFile(join(workspace, 'skills/tea/SKILL.md'), text);
  const { http, token } = await served([], { workspace });
  expect((await http('/api/v1/memory/files')).body).toMatchObject({
    files: [
      { path: 'MEMORY.md', bytes: 18 },
      { path: 'memory/2026-01-01.md', bytes: 5 },
    ],
    problems: [],
    isCut: false,
  });
  const reader = await token({ scopes: ['read'] });
  const { body } = await http('/api/v1/skills/tea', { token: reader });
  expect(body).toMatchObject({ name: 'tea', body: expect.stringContaining('Boil water.') });
  expect(JSON.stringify(body)).not.toContain(workspace);
});
