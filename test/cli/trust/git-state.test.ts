import { appendFileSync, readFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { chmod, mkdir, rm } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { judgeFolder } from '../../../src/trust/judge-folder.ts';
import type { Workspace } from '../../support/cli.ts';
import { config, git, makeOwn, opened, ownFolder, repository } from './own.ts';
import { foreignFolder } from './support.ts';

/** Why the folder is asked about now; empty when it is not. */
async function why(folder: Pick<Workspace, 'folder'>): Promise<string> {
  const verdict = await judgeFolder(await opened(folder));
  expect(verdict.isTrusted).toBe(verdict.why.length === 0);
  return verdict.why.join('; ');
}

async function ownRepository(): Promise<Workspace> {
  const folder = await repository();
  await makeOwn(folder);
  return folder;
}

const moved = /git has moved HEAD/;
const edit = (folder: Workspace, text = 'system: edited\n') => folder.write(config, text);

describe('files that came by git are asked about in a folder of one’s own', () => {
  it.each<[string, string[][]]>([
    ['checkout', [['checkout', 'other']]],
    ['merge', [['merge', 'other']]],
    ['reset', [['reset', '--hard', 'other']]],
    ['rebase', [['rebase', 'other']]],
    ['cherry-pick', [['cherry-pick', 'other']]],
    ['pull', [['pull', '.', 'other']]],
    ['checkout of a commit', [['checkout', '--detach', 'other']]],
    ['merge with a commit', [['merge', '--no-ff', '-m', 'x', 'other']]],
    [
      'checkout, and a commit after it',
      [
        ['checkout', 'other'],
        ['commit', '--allow-empty', '-m', 'x'],
      ],
    ],
  ])('%s', async (_, commands) => {
    const folder = await ownRepository();
    for (const command of commands) git(folder.folder, ...command);
    expect(await why(folder)).toMatch(moved);
  });

  it('also those that were edited since', async () => {
    const folder = await ownRepository();
    git(folder.folder, 'checkout', 'other');
    await edit(folder);
    expect(await why(folder)).toMatch(moved);
  });

  it('those of a clone that was made in it', async () => {
    const [origin, folder] = [await repository(), await foreignFolder()];
    await makeOwn(folder);
    git(folder.folder, 'clone', origin.folder, '.');
    expect(await why(folder)).toMatch(/\.git is new/);
  });

  it('those of another repository in its place, or of none', async () => {
    const [origin, folder] = [await repository(), await ownRepository()];
    git(origin.folder, 'reset', '--hard', 'other');
    renameSync(folder.path('.git'), folder.path('old'));
    await edit(folder);
    expect(await why(folder)).toMatch(/\.git is gone/);
    renameSync(origin.path('.git'), folder.path('.git'));
    expect(await why(folder)).toMatch(moved);
  });

  it('those of a worktree, whose .git is a file, and of a repository above', async () => {
    const origin = await repository();
    const tree = await foreignFolder();
    git(origin.folder, 'worktree', 'add', tree.path('tree'), '-b', 'third');
    const folder: Workspace = { ...tree, folder: tree.path('tree') };
    await makeOwn(folder);
    await tree.write(`tree/${config}`, 'system: edited\n');
    git(folder.folder, 'commit', '-am', 'x');
    expect(await why(folder)).toBe('');
    git(folder.folder, 'reset', '--hard', 'other');
    expect(await why(folder)).toMatch(moved);

    await mkdir(origin.path('below'));
    await origin.write(`below/${config}`, 'system: x\n');
    const below: Workspace = { ...origin, folder: origin.path('below') };
    await makeOwn(below);
    git(origin.folder, 'checkout', 'other');
    await origin.write(`below/${config}`, 'system: y\n');
    expect(await why(below)).toMatch(moved);
  });

  it('those of a repository in it', async () => {
    const inner = await repository();
    const folder = await ownFolder({ 'machines/a.txt': 'x' });
    renameSync(inner.folder, folder.path('machines/inner'));
    expect(await why(folder)).toMatch(/inner\/\.git is new/);
  });
});

describe('what the owner of a folder does with git asks nothing:', () => {
  it('commits between edits', async () => {
    const folder = await ownRepository();
    await edit(folder);
    git(folder.folder, 'commit', '-am', 'three');
    git(folder.folder, 'commit', '--amend', '-m', 'four');
    await edit(folder, 'system: again\n');
    expect(await why(folder)).toBe('');
  });

  it('the first commits', async () => {
    const folder = await foreignFolder({ [config]: 'system: x\n' });
    git(folder.folder, 'init');
    await makeOwn(folder);
    await edit(folder);
    git(folder.folder, 'add', '.');
    git(folder.folder, 'commit', '-m', 'one');
    expect(await why(folder)).toBe('');
  });

  it('a checkout that changes none of the files, once Detent has seen that', async () => {
    const folder = await repository();
    git(folder.folder, 'branch', 'same');
    await makeOwn(folder);
    git(folder.folder, 'checkout', 'same');
    expect(await why(folder)).toBe('');
    await edit(folder);
    expect(await why(folder)).toBe('');
  });

  it('refs that are packed', async () => {
    const folder = await repository();
    git(folder.folder, 'pack-refs', '--all');
    await makeOwn(folder);
    await edit(folder);
    expect(await why(folder)).toBe('');
    git(folder.folder, 'checkout', '-f', 'other');
    expect(await why(folder)).toMatch(moved);
  });
});

describe('where it cannot be told what git did, a change is asked about:', () => {
  const log = '.git/logs/HEAD';
  const attacks: Record<string, (folder: Workspace) => unknown> = {
    'no reflog': (folder) => rm(folder.path(log)),
    'a folder in place of the reflog': async (folder) => {
      await rm(folder.path(log));
      await mkdir(folder.path(log));
    },
    'a reflog without its last line': (folder) => {
      const lines = readFileSync(folder.path(log), 'utf8').split('\n');
      writeFileSync(folder.path(log), `${lines.slice(0, -2).join('\n')}\n`);
    },
    'a reflog with another line': (folder) => appendFileSync(folder.path(log), 'x\n'),
    'a reflog that is huge and empty at its end': (folder) => truncateSync(folder.path(log), 2 ** 32),
    'a reflog that others can write': (folder) => chmod(folder.path(log), 0o666),
    'a HEAD that others can write': (folder) => chmod(folder.path('.git/HEAD'), 0o666),
    'a HEAD that is none': (folder) => folder.write('.git/HEAD', 'x\n'),
    'a HEAD that leads out of the repository': (folder) =>
      folder.write('.git/HEAD', 'ref: refs/../../../x\n'),
    'no HEAD': (folder) => rm(folder.path('.git/HEAD')),
    'a checkout that is under way': (folder) => folder.write('.git/index.lock', ''),
    'refs in another format': (folder) => mkdir(folder.path('.git/reftable')),
    'a .git that names no folder': async (folder) => {
      await rm(folder.path('.git'), { recursive: true });
      await folder.write('.git', 'x\n');
    },
    'a .git that names a folder that is not there': async (folder) => {
      await rm(folder.path('.git'), { recursive: true });
      await folder.write('.git', 'gitdir: ../nowhere\n');
    },
  };

  it.each(Object.entries(attacks))('%s', async (_, attack) => {
    const folder = await ownRepository();
    await edit(folder);
    await attack(folder);
    expect(await why(folder)).not.toBe('');
  });
});
