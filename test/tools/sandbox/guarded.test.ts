import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { findDatabase, findGuarded } from '../../../src/tools/files/confined-files.ts';
import { temporaryFolder } from '../helpers.ts';
import { describeSandboxed, run } from './support.ts';

let workspace: string;
beforeEach(async () => {
  workspace = await temporaryFolder();
  await mkdir(join(workspace, '.git', 'hooks'), { recursive: true });
  await mkdir(join(workspace, 'packages', 'a', 'src'), { recursive: true });
  await mkdir(join(workspace, 'lib'));
  for (const file of ['.git/config', 'package.json', 'packages/a/package.json', '.envrc', 'lib/rules.ts'])
    await writeFile(join(workspace, file), 'original');
});

describeSandboxed('a command that no person approved', () => {
  it.each([
    'echo x > .git/config',
    'echo x > .git/hooks/pre-commit',
    'mv .git moved',
    'rm -rf .git',
    'echo x > package.json',
    'rm -f package.json',
    'echo x > .envrc',
    'echo x > packages/a/package.json',
    'mv packages/a packages/b',
    'mv packages other',
    'ln -f .envrc copy && echo x > copy',
    'echo x > lib/rules.ts',
    'chmod 777 .git/config',
  ])('cannot change guarded files: %s', async (command) => {
    const fixed = await findGuarded(workspace, [join(workspace, 'lib', 'rules.ts')]);
    const { code } = await run(command, { workspace, fixed });
    expect(code).not.toBe(0);
    for (const file of ['.git/config', 'package.json', 'packages/a/package.json', '.envrc', 'lib/rules.ts'])
      expect(await readFile(join(workspace, file), 'utf8'), file).toBe('original');
  });

  it('can change all others', async () => {
    const fixed = await findGuarded(workspace, []);
    const command =
      'echo x > a.txt && mv a.txt b.txt && echo y > packages/a/src/i.ts && mkdir dist && cat package.json';
    expect(await run(command, { workspace, fixed })).toMatchObject({ code: 0 });
    expect(await readFile(join(workspace, 'packages', 'a', 'src', 'i.ts'), 'utf8')).toBe('y\n');
  });
});

it('guarded files are found however many others are named', async () => {
  const named = Array.from({ length: 250 }, (_, i) => join(workspace, 'lib', `${i}.ts`));
  await Promise.all(named.map((path) => writeFile(path, '')));
  const found = await findGuarded(workspace, named);
  expect(found).toEqual(
    expect.arrayContaining([...named, join(workspace, '.git'), join(workspace, '.envrc')]),
  );
});

describeSandboxed('a database in the workspace', () => {
  const database = () => join(workspace, 'data', 'runs.db');
  beforeEach(async () => {
    await mkdir(join(workspace, 'data'));
    for (const name of ['runs.db', 'runs.db-wal', 'runs.search-1.db'])
      await writeFile(join(workspace, 'data', name), 'secret');
  });

  it.each(['runs.db', 'runs.db-wal', 'runs.search-1.db', 'runs.db-journal'])(
    'is out of reach: %s',
    async (name) => {
      const hidden = await findDatabase(workspace, database());
      const { code, text } = await run(`cat data/${name} || echo x > data/${name}`, { workspace, hidden });
      expect(code).not.toBe(0);
      expect(text).not.toContain('secret');
    },
  );

  it('has the locks and sockets of its drivers out of reach, also those that come later', async () => {
    const drivers = join(workspace, 'data', 'drivers');
    await mkdir(drivers);
    await writeFile(join(drivers, 'd1.lock'), 'secret');
    const hidden = await findDatabase(workspace, database());
    await writeFile(join(drivers, 'd2.lock'), 'secret');
    const command = 'ls data/drivers; cat data/drivers/* ; rm -rf data/drivers; touch data/drivers/x';
    const { code, text } = await run(command, { workspace, hidden });
    expect(code).not.toBe(0);
    expect(text).not.toMatch(/secret|d1.lock\n/);
    expect(await readFile(join(drivers, 'd1.lock'), 'utf8')).toBe('secret');
  });

  it('leaves a folder of the same name its other files', async () => {
    const drivers = join(workspace, 'data', 'drivers');
    await mkdir(drivers);
    for (const name of ['d1.lock', 'usb.c']) await writeFile(join(drivers, name), 'text');
    const hidden = await findDatabase(workspace, database());
    expect(await run('cat data/drivers/usb.c', { workspace, hidden })).toMatchObject({
      code: 0,
      text: 'text',
    });
    expect((await run('cat data/drivers/d1.lock', { workspace, hidden })).code).not.toBe(0);
  });

  it('lets no command start when it has a second name', async () => {
    const { link } = await import('node:fs/promises');
    await link(database(), join(workspace, 'copy'));
    await expect(findDatabase(workspace, database())).rejects.toMatchObject({ code: 'SANDBOX_UNAVAILABLE' });
  });
});
