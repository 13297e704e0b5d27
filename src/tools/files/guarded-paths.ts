import { own } from '../../text/wording.ts';

/** Folders by which git, an editor or another agent can be made to execute something, with who does it. */
const folders: Readonly<Record<string, string>> = {
  '.git': 'git',
  '.husky': 'git',
  '.github': 'GitHub Actions',
  '.circleci': 'CircleCI',
  '.vscode': 'an editor',
  '.idea': 'an editor',
  '.devcontainer': 'an editor',
  '.agents': 'Detent',
  '.claude': 'another agent',
  '.cursor': 'an editor',
};

const files: Readonly<Record<string, string>> = {
  '.mcp.json': 'Detent',
  'skill.md': 'Detent',
  '.gitmodules': 'git',
  // The file that makes a folder a git repository, also without the name .git.
  head: 'git',
  '.pre-commit-config.yaml': 'git',
  'lefthook.yml': 'git',
  'lefthook.yaml': 'git',
  '.lefthook.yml': 'git',
  '.gitlab-ci.yml': 'GitLab CI',
  'package.json': 'npm',
  '.npmrc': 'npm',
  '.yarnrc': 'yarn',
  '.yarnrc.yml': 'yarn',
  '.pnpmfile.cjs': 'pnpm',
  '.envrc': 'direnv',
  '.devcontainer.json': 'an editor',
  '.exrc': 'an editor',
  '.vimrc': 'an editor',
  '.nvimrc': 'an editor',
  '.nvim.lua': 'an editor',
  '.dir-locals.el': 'an editor',
};

/** Folders that mean something only at the top of a workspace. */
const topFolders: Readonly<Record<string, string>> = {
  machines: 'Detent',
  skills: 'Detent',
  skill: 'Detent',
};

/**
 * Who can be made to execute something by writing this path; null when nothing is known that would. Names count in every
 * spelling that some file system takes for the same file (letters of either case, other forms of Unicode, trailing dots).
 *
 * @param segments of a path relative to the workspace.
 */
export function executorOf(segments: readonly string[]): string | null {
  const names = segments.map(foldedName).filter((name) => name !== '' && name !== '.');
  const [top = ''] = names;
  for (const name of names) {
    const executor = own(folders, name);
    if (executor !== undefined) return executor;
    if (name.endsWith('.git') || /^git~\d$/.test(name)) return 'git';
  }
  const last = names.at(-1) ?? '';
  if (/^detent\.config\.[a-z]+$/.test(last)) return 'Detent';
  if (last.endsWith('.code-workspace')) return 'an editor';
  return own(files, last) ?? own(topFolders, top) ?? null;
}

/**
 * A name as the file systems see it that tell the fewest names apart: NTFS ignores trailing dots and blanks and what
 * follows a colon, HFS+ ignores invisible characters, both and APFS the case of letters.
 */
export function foldedName(name: string): string {
  return name
    .replace(/(?!^):.*$/s, '')
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .normalize('NFKC')
    .toLowerCase()
    .replace(/(?<=[^. ])[. ]+$/, '');
}
