import { expect, it } from 'vitest';
import { newWorkspace } from '../../support/cli.ts';

it('detent users export and forget say that a tenant stores nothing of a user, and name the tenants that may', async () => {
  const { detent } = await newWorkspace();
  await detent(['run', '--quiet', '--session', 's', 'hi']);
  const alone = await detent(['users', 'export', 'zed']);
  expect(alone).toMatchObject({ code: 0, stderr: 'tenant 1 stores nothing about "zed"\n' });
  await detent(['tenant', 'create', 'acme']);
  const other = (verb: string) =>
    `tenant 1 stores nothing about "zed"; users of another tenant: "detent users ${verb} zed --tenant acme"`;
  expect((await detent(['users', 'export', 'zed'])).stderr).toContain(other('export'));
  const { stdout, stderr } = await detent(['users', 'forget', 'zed', '--yes', '--json']);
  expect(JSON.parse(stdout)).toMatchObject({ sessions: 0, erased: true, told: false });
  expect(stderr).toContain(other('forget'));
  expect((await detent(['users', 'forget', 'zed', '--yes', '--tenant', 'acme'])).stderr).toContain(
    'tenant acme stores nothing about "zed"',
  );
});
