import { execFileSync } from 'node:child_process';
import { openFolder } from '../../../src/cli/settings/load-options.ts';
import type { Io } from '../../../src/cli/terminal/io.ts';
import { keepTrust, newOwnFolder } from '../../../src/trust/agreements.ts';
import { judgeFolder } from '../../../src/trust/judge-folder.ts';
import { surveyFolder } from '../../../src/trust/survey/survey.ts';
import type { Workspace } from '../../support/cli.ts';
import { foreignFolder } from './support.ts';

/** Reads a folder as every command does. */
export function opened({ folder }: Pick<Workspace, 'folder'>) {
  const env = { ...process.env };
  return openFolder({ workspace: folder }, { cwd: folder, env } as Io, env);
}

/** As after `detent trust --mine` and a yes. */
export async function makeOwn(folder: Workspace): Promise<void> {
  const survey = await surveyFolder(await opened(folder));
  keepTrust(survey, { env: process.env }, newOwnFolder(survey));
  await judgeFolder(await opened(folder));
}

export const config = 'detent.config.yaml';

/** A folder of one's own with a configuration and these files. */
export async function ownFolder(files: Readonly<Record<string, string>> = {}): Promise<Workspace> {
  const folder = await foreignFolder({ [config]: 'system: x\n', ...files });
  await makeOwn(folder);
  return folder;
}

export function git(folder: string, ...args: string[]): string {
  const env = {
    PATH: process.env.PATH,
    HOME: '/nowhere',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_SYSTEM: '/dev/null',
    ...Object.fromEntries(
      ['AUTHOR', 'COMMITTER'].flatMap((who) => [
        [`GIT_${who}_NAME`, 'Ada'],
        [`GIT_${who}_EMAIL`, 'ada@example.com'],
      ]),
    ),
  };
  return execFileSync('git', ['-c', 'init.defaultBranch=main', ...args], {
    cwd: folder,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

/** A repository with the branch `main`, and `other`, on which the configuration says `other`. */
export async function repository(): Promise<Workspace> {
  const folder = await foreignFolder({ [config]: 'system: x\n' });
  git(folder.folder, 'init');
  git(folder.folder, 'add', '.');
  git(folder.folder, 'commit', '-m', 'one');
  git(folder.folder, 'checkout', '-b', 'other');
  await folder.write(config, 'system: other\n');
  git(folder.folder, 'commit', '-am', 'two');
  git(folder.folder, 'checkout', 'main');
  return folder;
}
