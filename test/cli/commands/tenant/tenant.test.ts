import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { newWorkspace } from '../../../support/cli.ts';
import { temporaryWorkspace } from '../../../support/detent.ts';

/** A workspace, and a folder elsewhere. */
async function place() {
  return { ...(await newWorkspace()), acme: await temporaryWorkspace() };
}

it('detent tenant create, list and set', async () => {
  const { json, detent, path, acme } = await place();
  const first = { id: 1, name: 'default', workspace: path('.') };
  expect((await json(['tenant', 'list', '--db', 'new.db'])).view).toEqual([first]);
  expect(existsSync(path('new.db'))).toBe(false);
  const made = { id: 2, name: 'acme', workspace: acme };
  expect((await json(['tenant', 'create', 'acme', '--workspace', acme])).view).toEqual(made);
  expect(await detent(['tenant', 'create', 'guests'])).toMatchObject({
    code: 0,
    stdout: '3  guests  (no workspace)\n',
  });
  expect((await json(['tenant', 'list'])).view).toEqual([
    first,
    made,
    { id: 3, name: 'guests', workspace: null },
  ]);
  expect((await json(['tenant', 'set', 'acme', '--no-workspace'])).view).toEqual({
    ...made,
    workspace: null,
  });
  expect((await detent(['tenant', 'set', 'nobody', '--no-workspace'])).code).toBe(4);
  expect((await json(['tenant', 'set', '3', '--workspace', acme])).view).toMatchObject({ workspace: acme });
});

it('opens another folder by --in, because --workspace is that of the tenant', async () => {
  const { detent, path, acme } = await place();
  await mkdir(path('main'));
  const { code } = await detent(['tenant', 'create', 'acme', '--workspace', acme, '--in', 'main']);
  expect([code, existsSync(path('main/.detent/detent.db'))]).toEqual([0, true]);
});
