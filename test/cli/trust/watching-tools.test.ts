import { existsSync, writeFileSync } from 'node:fs';
import { mkdir, symlink } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { TrustRecords, watchingTools } from '../../../src/trust/agreements.ts';
import { judgeFolder } from '../../../src/trust/judge-folder.ts';
import { hasTerminals, type Workspace } from '../../support/cli.ts';
import { someOf } from '../../support/deep.ts';
import { describeWith } from '../../support/needs.ts';
import { config, makeOwn, opened, ownFolder } from './own.ts';
import { agree, foreignFolder } from './support.ts';

async function why(folder: Workspace): Promise<string> {
  return (await judgeFolder(await opened(folder))).why.join('; ');
}

const watch = (folder: Workspace) => watchingTools(folder.folder, process.env, () => opened(folder));
const atWork = 'a tool was running while something changed';
const edit = (folder: Workspace, text: string) => folder.write(config, `system: ${text}\n`);

describe('while a tool may write to a folder of one’s own', () => {
  it.each<[string, (folder: Workspace) => unknown]>([
    ['a file that acts changes', (folder) => edit(folder, 'evil')],
    ['one comes', (folder) => folder.write('.mcp.json', '{"mcpServers": {"m": {"command": "evil"}}}')],
    ['a machine comes', (folder) => folder.write('machines/evil.machine.ts', 'export {};')],
    ['a database comes', (folder) => folder.write('.detent/detent.db', 'evil')],
    ['a package.json says where imports lead', (folder) => folder.write('package.json', '{"imports": {}}')],
  ])('%s: it is asked about, also after edits of the owner', async (_, attack) => {
    const folder = await ownFolder();
    await mkdir(folder.path('machines'));
    await mkdir(folder.path('.detent'));
    await watch(folder)(async () => attack(folder));
    expect(await why(folder)).toContain(atWork);
    await edit(folder, 'mine');
    await watch(folder)(async () => {});
    expect(await why(folder)).toContain(atWork);
  });

  it('what the owner changed before, between and after calls is the owner’s', async () => {
    const folder = await ownFolder();
    for (const text of ['one', 'two', 'three']) {
      await edit(folder, text);
      await watch(folder)(() => folder.write('notes.txt', text));
    }
    await edit(folder, 'four');
    expect(await why(folder)).toBe('');
  });

  it('calls at the same time are told apart', async () => {
    const folder = await ownFolder();
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const calls = [watch(folder)(() => first.promise), watch(folder)(() => second.promise)];
    await expect.poll(() => new TrustRecords(process.env).callsIn(folder.folder).length).toBe(2);
    first.resolve();
    await calls[0];
    await edit(folder, 'evil');
    expect(await why(folder)).toBe(atWork);
    second.resolve();
    await calls[1];
    expect(await why(folder)).toBe(atWork);
  });

  it('one that fails counts, too, and an undone change does not', async () => {
    const folder = await ownFolder();
    const failing = watch(folder)(async () => {
      await edit(folder, 'evil');
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await why(folder)).toBe(atWork);
    await edit(folder, 'x');
    expect(await why(folder)).toBe('');
    await edit(folder, 'mine');
    expect(await why(folder)).toBe('');
  });

  it('a process that was killed meanwhile leaves what it changed to be asked about, and nothing else', async () => {
    const [folder, untouched] = [await ownFolder(), await ownFolder()];
    for (const { folder: path } of [folder, untouched]) {
      const call = { call: `${path} 1`, folder: path, pid: 2 ** 22 + 1, at: new Date().toISOString() };
      new TrustRecords(process.env).keepCall(call);
    }
    await edit(folder, 'evil');
    expect(await why(folder)).toBe(atWork);
    expect(await why(untouched)).toBe('');
    await edit(untouched, 'mine');
    expect(await why(untouched)).toBe('');
  });

  it('keeps no record of a folder that is only trusted', async () => {
    const folder = await foreignFolder({ [config]: 'system: x\n' });
    await watch(folder)(() => edit(folder, 'y'));
    expect(new TrustRecords(process.env).callsIn(folder.folder)).toEqual([]);
  });
});

describe.concurrent('a tool of a run', () => {
  it.each(
    someOf<[string, object]>(
      [
        ['write_file', { path: 'lib/a.ts', content: 'export default "evil";\n' }],
        ['shell', { command: 'sleep 0.3; echo "export {}; // evil" > lib/a.ts', background: true }],
        ['shell', { command: 'echo "export {}; // evil" > local.ts' }],
        ['shell', { command: 'rm link; mkdir link; echo "export {}; // evil" > link/b.ts' }],
      ],
      2,
    ),
  )('that makes or changes a module has it asked about: %s %j', async (name, args) => {
    const folder = await foreignFolder({
      'detent.config.mjs':
        "import './lib/a.ts';\nimport './link/b.ts';\ntry { await import('./local.ts'); } catch {}\nexport default { sandbox: 'none' };\n",
      'real/b.ts': 'export {};\n',
      'lib/a.ts': 'export {};\n',
      'script.json': JSON.stringify([
        { toolCalls: [{ name, arguments: args }] },
        { toolCalls: [{ name: 'shell', arguments: { command: 'sleep 1' } }] },
        { text: 'done' },
      ]),
    });
    await symlink('real', folder.path('link'));
    await makeOwn(folder);
    const run = ['run', 'go', '--approve', 'all', '--model', 'script/script.json'];
    expect(await folder.detent(run)).toMatchObject({ code: 0, stdout: expect.stringContaining('done') });
    // A process finds the file of an import once.
    const { code, stderr } = await folder.detent(['runs', 'list'], { ownProcess: true });
    expect({ code, stderr }).toMatchObject({ code: 3, stderr: expect.stringContaining(atWork) });
  });

  it('may write all else', async () => {
    const folder = await ownFolder({
      'script.json': JSON.stringify([
        { toolCalls: [{ name: 'write_file', arguments: { path: 'a.txt', content: 'x' } }] },
        { text: 'done' },
      ]),
    });
    const run = ['run', 'go', '--approve', 'all', '--model', 'script/script.json'];
    expect((await folder.detent(run)).code).toBe(0);
    expect(existsSync(folder.path('a.txt'))).toBe(true);
    await edit(folder, 'mine');
    expect((await folder.detent(['runs', 'list'])).code).toBe(0);
  });
});

describeWith(hasTerminals, 'the program /usr/bin/script is missing')('a yes', () => {
  it('to what a tool changed ends the question, and the folder stays its owner’s', async () => {
    const folder = await ownFolder();
    await watch(folder)(async () => writeFileSync(folder.path(config), 'system: made by a tool\n'));
    expect(await agree(folder)).toContain(atWork);
    await edit(folder, 'mine');
    expect((await folder.detent(['runs', 'list'])).code).toBe(0);
  });
});
