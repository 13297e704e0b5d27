import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SkillPlace } from '../ports/skill-source.ts';

/** A folder that is searched for skills. */
export interface SkillRoot {
  /** Absolute. */
  folder: string;
  from: SkillPlace;
  /** Absolute; links that lead out of it are not followed. Null: wherever they lead. */
  within: string | null;
}

export interface RootOptions {
  /** Absolute. */
  workspace: string;
  env: Readonly<Record<string, string | undefined>>;
  /** False leaves out the skills that come with Detent. */
  bundled?: boolean;
  /** Further folders, relative to the workspace. */
  folders?: readonly string[];
}

/** The folders in the order of precedence: of two skills with one name the later one is meant. */
export function skillRoots({ workspace, env, bundled = true, folders = [] }: RootOptions): SkillRoot[] {
  const own = bundled ? bundledSkills() : null;
  const roots: SkillRoot[] = [
    ...(own === null ? [] : [{ folder: own, from: 'bundled' as const, within: null }]),
    ...both(detentHome(env)).map((folder) => ({ folder, from: 'home' as const, within: null })),
    // A workspace may be somebody else's repository: its links must not show what lies outside of it.
    ...['.', '.agents', '.claude']
      .flatMap((base) => both(join(workspace, base)))
      .map((folder) => ({ folder, from: 'project' as const, within: workspace })),
    ...folders.map((folder) => ({
      folder: resolve(workspace, folder),
      from: 'configured' as const,
      within: null,
    })),
  ];
  const first = new Map<string, SkillRoot>();
  // The package's own folder may be the workspace's, too; then its skills came with Detent.
  for (const root of roots) if (!first.has(root.folder)) first.set(root.folder, root);
  return [...first.values()];
}

function both(base: string): string[] {
  return [join(base, 'skill'), join(base, 'skills')];
}

/** The folder of the user's own settings. */
export function detentHome(env: RootOptions['env']): string {
  return resolve(env.DETENT_HOME || join(homedir(), '.detent'));
}

/** The skills of the package, whether it runs from source or from `dist`; null when they were left out. */
function bundledSkills(): string | null {
  const folder = ['../../skills/', '../../../skills/']
    .map((path) => fileURLToPath(new URL(path, import.meta.url)))
    .find((path) => existsSync(join(path, 'skill-creator', 'SKILL.md')));
  return folder === undefined ? null : resolve(folder);
}
