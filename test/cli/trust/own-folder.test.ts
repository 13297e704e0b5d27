import { chmodSync, existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { chmod, chown, cp, link, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TrustRecords } from '../../../src/trust/agreements.ts';
import { hasTerminals, type Workspace } from '../../support/cli.ts';
import { someOf } from '../../support/deep.ts';
import { describeWith } from '../../support/needs.ts';
import { config, makeOwn, ownFolder } from './own.ts';
import { agree, answer, foreignFolder, strict } from './support.ts';

/** Ends with 3, and says why the folder is asked about. */
async function asks(folder: Workspace): Promise<string> {
  const { code, stdout, stderr } = await folder.detent(['runs', 'list']);
  expect({ code, stdout, stderr }).toMatchObject({ code: 3, stdout: '' });
  return stderr;
}

async function asksNothing(folder: Workspace): Promise<void> {
  expect(await folder.detent(['runs', 'list'])).toMatchObject({
    code: 0,
    stderr: expect.not.stringMatching(/trust/),
  });
}

const edit = (folder: Workspace, text = 'system: edited\n') => folder.write(config, text);

describe.concurrent('a folder of one’s own asks about no change of its owner:', () => {
  it('the configuration, .mcp.json, machines, and files that come and go', async () => {
    const folder = await ownFolder();
    await edit(folder);
    await asksNothing(folder);
    await folder.write('.mcp.json', '{"mcpServers": {"m": {"command": "true"}}}');
    await mkdir(folder.path('machines'));
    await folder.write('machines/notes.txt', 'x');
    await asksNothing(folder);
    await rm(folder.path('.mcp.json'));
    await rm(folder.path('machines'), { recursive: true });
    await asksNothing(folder);
  });

  it('modules, and what they import', async () => {
    const folder = await foreignFolder({
      'detent.config.ts': "import './lib/a.ts';\nexport default {};\n",
      'lib/a.ts': 'export {};\n',
    });
    await makeOwn(folder);
    await folder.write('lib/a.ts', "import '../b.ts';\n");
    await folder.write('b.ts', 'export {};\n');
    await asksNothing(folder);
  });

  it('the first file, in one that was empty', async () => {
    const folder = await foreignFolder();
    await makeOwn(folder);
    await edit(folder);
    await asksNothing(folder);
  });

  it('also after a command of Detent that writes there', async () => {
    const folder = await foreignFolder();
    await makeOwn(folder);
    expect((await folder.detent(['mcp', 'add', 'm', '--', 'true'])).code).toBe(0);
    await edit(folder);
    await asksNothing(folder);
  });

  it('however large it is', async () => {
    const folder = await ownFolder();
    await mkdir(folder.path('data'));
    await Promise.all(
      Array.from({ length: 5_000 }, (_, i) => writeFile(folder.path(`data/${i}.machine.ts`), 'x')),
    );
    await edit(folder);
    await asksNothing(folder);
  });
});

/** What somebody does before a file is edited, and what is said then. */
const attacks: Record<string, [(folder: Workspace) => unknown, RegExp]> = {
  'a file that others can write': [
    (folder) => chmod(folder.path(config), 0o664),
    /other users can write .*yaml/,
  ],
  'a folder that others can write': [
    (folder) => chmod(folder.folder, 0o777),
    /other users can write .* \(chmod go-w\)/,
  ],
  'a hard link': [(folder) => link(folder.path(config), folder.path('b')), /has a second name/],
  'the setuid bit': [(folder) => chmod(folder.path(config), 0o4644), /setuid/],
  'another version control': [(folder) => mkdir(folder.path('.hg')), /only checkouts of git can be told/],
  'a .git that is a link': [(folder) => symlink('/tmp', folder.path('.git')), /\.git/],
  'a package.json that others can write': [
    async (folder) => {
      await folder.write('package.json', '{}');
      await chmod(folder.path('package.json'), 0o666);
    },
    /other users can write .*package\.json/,
  ],
};

const describeAsRoot = describeWith(process.getuid?.() === 0, 'only root gives files to others', true);

describe.concurrent('a folder of one’s own asks about a change with', () => {
  it.each(someOf(Object.entries(attacks), 16))('%s', async (_, [attack, why]) => {
    const folder = await ownFolder();
    await edit(folder);
    await attack(folder);
    expect(await asks(folder)).toMatch(why);
  });

  describeAsRoot('another owner', () => {
    it.each([config, '.'])('of %s', async (name) => {
      const folder = await ownFolder();
      await edit(folder);
      await chown(folder.path(name), 12_345, 12_345);
      expect(await asks(folder)).toContain('belongs to another user');
    });
  });

  it('a link in place of a file', async () => {
    const folder = await ownFolder({ 'other.yaml': 'system: y\n' });
    await rm(folder.path(config));
    await symlink('other.yaml', folder.path(config));
    expect(await asks(folder)).toContain('is a link');
  });

  it('a folder above that others can write', async () => {
    const outer = await foreignFolder({ [`inner/${config}`]: 'system: x\n' });
    const folder = { ...outer, folder: outer.path('inner') };
    await makeOwn(folder);
    await outer.write(`inner/${config}`, 'system: edited\n');
    chmodSync(outer.folder, 0o777);
    const { code, stderr } = await outer.detent(['runs', 'list', '--workspace', 'inner']);
    expect({ code, stderr }).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('other users can write'),
    });
  });

  it('a file of elsewhere that it imports', async () => {
    const elsewhere = await foreignFolder({ 'a.ts': 'export {};\n' });
    const folder = await foreignFolder({
      'detent.config.ts': `import ${JSON.stringify(elsewhere.path('a.ts'))};\nexport default {};\n`,
    });
    await makeOwn(folder);
    await asksNothing(folder);
    await elsewhere.write('a.ts', 'export default 1;\n');
    expect(await asks(folder)).toContain(`${elsewhere.path('a.ts')} is not in the folder`);
  });

  it('a package that it imports', async () => {
    const folder = await foreignFolder({
      'detent.config.mjs': "import 'p';\nexport default {};\n",
      'node_modules/p/package.json': '{"name": "p", "exports": "./index.mjs", "version": "1.0.0"}',
      'node_modules/p/index.mjs': '',
    });
    await makeOwn(folder);
    await folder.write('node_modules/p/index.mjs', 'export {};\n');
    expect(await asks(folder)).toContain('package p 1.0.0 (node_modules/p) comes from others');
  });
});

describe.concurrent('a folder is no longer one’s own', () => {
  it('where it was moved, and where another took its place', async () => {
    const outer = await foreignFolder({ [`inner/${config}`]: 'system: x\n' });
    const folder = { ...outer, folder: outer.path('inner') };
    await makeOwn(folder);
    await rename(outer.path('inner'), outer.path('moved'));
    const list = (name: string) => outer.detent(['runs', 'list', '--workspace', name]);
    expect((await list('moved')).code).toBe(3);
    await cp(outer.path('moved'), outer.path('inner'), { recursive: true });
    expect((await list('inner')).code).toBe(0);
    await outer.write(`inner/${config}`, 'system: edited\n');
    const { code, stderr } = await list('inner');
    expect({ code, stderr }).toMatchObject({ code: 3, stderr: expect.stringContaining('moved or replaced') });
  });

  it.each([
    ['is damaged', { mine: true }],
    ['says less', { mine: { identity: 'x' } }],
    ['names another folder', { mine: { identity: '/ 1 2 3', since: '', repositories: {}, packages: {} } }],
  ])('where the record %s', async (_, damage) => {
    const folder = await ownFolder();
    const file = recordOf(folder);
    await writeFile(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), ...damage }));
    await edit(folder);
    await asks(folder);
  });

  it('where others can write the record, or its folder', async () => {
    const [folder, outer] = [await foreignFolder({ [config]: 'system: x\n' }), await foreignFolder()];
    const env = { ...strict, DETENT_HOME: outer.path('home') };
    new TrustRecords(env).keepFolder({
      folder: folder.folder,
      at: '2026-01-01T00:00:00Z',
      files: {},
      texts: {},
    });
    const place = outer.path('home/trust/folders');
    const [name = ''] = readdirSync(place);
    for (const path of [place, join(place, name)]) {
      const { mode } = lstatSync(path);
      await chmod(path, 0o777);
      const { code, stderr } = await folder.detent(['runs', 'list'], { env });
      expect({ code, stderr }).toMatchObject({
        code: 3,
        stderr: expect.stringContaining('other users can write'),
      });
      await chmod(path, mode);
    }
  });
});

function recordOf(folder: Workspace): string {
  const place = join(process.env.DETENT_HOME ?? '', 'trust/folders');
  const files = readdirSync(place).map((name) => join(place, name));
  return files.find((file) => readFileSync(file, 'utf8').includes(`"${folder.folder}"`)) ?? '';
}

describe.concurrent('a database in a folder of one’s own', () => {
  it('belongs to it when a program made it there, also with a path that the configuration computes', async () => {
    const folder = await foreignFolder({
      'detent.config.mjs': "export default { database: { file: ['data', 'runs.db'].join('/') } };\n",
    });
    await makeOwn(folder);
    await folder.withLibrary((detent) => detent.run('hi').result);
    await folder.withLibrary((detent) => detent.run('hi').result, { database: { file: 'data/runs.db' } });
    const listed = { stderr: '', stdout: expect.stringContaining('hi') };
    expect(await folder.detent(['runs', 'list'])).toMatchObject(listed);
    expect(await folder.detent(['runs', 'list', '--db', '.detent/detent.db'])).toMatchObject(listed);
  });

  it('is asked about when it was there before', async () => {
    const folder = await foreignFolder({ [config]: 'system: x\n', 'old.db': 'x'.repeat(100) });
    await makeOwn(folder);
    const { code, stderr } = await folder.detent(['runs', 'list', '--db', 'old.db']);
    expect({ code, stderr }).toMatchObject({ code: 3, stderr: expect.stringContaining('was there before') });
  });

  it('is asked about when others can write it, or it lies elsewhere', async () => {
    const [folder, other] = [await ownFolder(), await ownFolder()];
    await folder.withLibrary((detent) => detent.run('hi').result);
    await symlink(folder.path('.detent'), other.path('.detent'));
    expect(await asks(other)).toContain('is not in the folder');
    await chmod(folder.path('.detent/detent.db'), 0o666);
    expect(await asks(folder)).toContain('other users can write');
  });

  it('is asked about where the folder is only trusted', async () => {
    const folder = await ownFolder();
    expect((await folder.detent(['trust', '--revoke'])).code).toBe(0);
    await folder.withLibrary((detent) => detent.run('hi').result);
    expect(await asks(folder)).toContain('a database that this Detent did not make');
  });
});

describe.concurrent('detent trust --mine', () => {
  it('asks only on a terminal', async () => {
    const folder = await foreignFolder({ [config]: 'system: x\n' });
    expect(await folder.detent(['trust', '--mine'])).toMatchObject({ code: 3 });
    expect(await folder.detent(['trust', '--mine', '--list'])).toMatchObject({ code: 2 });
    await asks(folder);
  });

  it('is shown, and ends with --revoke', async () => {
    const folder = await ownFolder();
    expect((await folder.detent(['trust', '--list'])).stdout).toMatch(
      new RegExp(`${folder.folder} +mine: ${config}`),
    );
    expect((await folder.json(['trust', '--list'])).view).toMatchObject({
      folders: expect.arrayContaining([expect.objectContaining({ folder: folder.folder, mine: true })]),
    });
    expect((await folder.detent(['trust'])).stdout).toContain(
      'and yours: Detent does not ask about your changes',
    );
    await folder.detent(['trust', '--revoke']);
    await asks(folder);
    expect((await folder.json(['trust'])).view).toMatchObject({ mine: false, trusted: false });
  });
});

describeWith(hasTerminals, 'the program /usr/bin/script is missing')(
  'on a terminal, detent trust --mine',
  () => {
    it('keeps a yes, for changes to come', async () => {
      const folder = await foreignFolder({ [config]: 'system: x\n' });
      const { code, asked, stdout } = await answer(folder, ['trust', '--mine'], 'y\r');
      expect(code).toBe(0);
      expect(asked).toMatch(/settings +system/);
      expect(stdout).toContain('is yours: Detent no longer asks about your changes');
      await edit(folder);
      await asksNothing(folder);
    });

    it('keeps no other answer', async () => {
      const folder = await foreignFolder({ [config]: 'system: x\n' });
      expect((await answer(folder, ['trust', '--mine'], 'n\r')).code).toBe(3);
      await asks(folder);
    });

    it('refuses a folder that others can write, and asks nothing', async () => {
      const folder = await foreignFolder({ [config]: 'system: x\n' });
      await chmod(folder.path(config), 0o666);
      const { code, stdout } = await folder.onTerminal(['trust', '--mine'], { env: strict }).ended;
      expect(code).toBe(3);
      expect(stdout).toContain('cannot be yours alone');
      expect(existsSync(folder.path('.detent'))).toBe(false);
    });

    it('says why it asks again, and stays after a yes', async () => {
      const folder = await ownFolder();
      await edit(folder);
      await chmod(folder.path(config), 0o666);
      expect(await agree(folder)).toContain('It is yours, and is asked about: other users can write');
      await chmod(folder.path(config), 0o644);
      await edit(folder, 'system: again\n');
      await asksNothing(folder);
    });
  },
);
