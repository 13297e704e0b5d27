import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SkillPlace } from '../../protocol/enums.ts';
import { detentHome, ownFile } from '../../text/files.ts';

/** A folder that is searched for skills. */
export interface SkillRoot {
  /** Absolute. */
  folder: string;
  from: SkillPlace;
  /** Absolute; links that lead out of this folder are not followed. Null follows all links. */
  within: string | null;
  /** Of the bundled skills in Detent's own repository: the root that all other skills in the folder belong to. */
  others?: SkillRoot;
}

/** The skills that come with Detent. */
export const bundledNames: ReadonlySet<string> = new Set([
  'code-review',
  'daily-summary',
  'research-notes',
  'shopping-assistant',
  'skill-creator',
]);

export interface RootOptions {
  /** Absolute. Null for tenants that do not work in the folder that was opened: neither it nor the user's home is searched. */
  workspace: string | null;
  env: Readonly<Record<string, string | undefined>>;
  /** False leaves out the bundled skills. */
  bundled?: boolean;
  /** Further folders, relative to the workspace; without one they are absolute. */
  folders?: readonly string[];
}

/** The folders in ascending precedence: of two skills with one name the later one wins. */
export function skillRoots({ workspace, env, bundled = true, folders = [] }: RootOptions): SkillRoot[] {
  const own = bundled ? bundledSkills() : null;
  const roots: SkillRoot[] = [
    ...(own === null ? [] : [{ folder: own, from: 'bundled' as const, within: null }]),
    ...(workspace === null ? [] : rootsOfUser(workspace, env)),
    ...folders.map((folder) => ({
      folder: resolve(workspace ?? '/', folder),
      from: 'configured' as const,
      within: null,
    })),
  ];
  const first = new Map<string, SkillRoot>();
  for (const root of roots) {
    const before = first.get(root.folder);
    if (!before) first.set(root.folder, root);
    // The workspace is Detent's own repository: what its owner adds beside the bundled skills is not one of them.
    else if (before.from === 'bundled') first.set(root.folder, { ...before, others: root });
  }
  return [...first.values()];
}

function rootsOfUser(workspace: string, env: RootOptions['env']): SkillRoot[] {
  return [
    ...both(detentHome(env)).map((folder) => ({ folder, from: 'home' as const, within: null })),
    // A workspace may be another person's repository: its links must not reach files outside of it.
    ...['.', '.agents', '.claude']
      .flatMap((base) => both(join(workspace, base)))
      .map((folder) => ({ folder, from: 'project' as const, within: workspace })),
  ];
}

function both(base: string): string[] {
  return [join(base, 'skill'), join(base, 'skills')];
}

/** The folder of the bundled skills; null if the package lacks it. */
function bundledSkills(): string | null {
  const folder = resolve(fileURLToPath(ownFile('skills/')));
  return existsSync(join(folder, 'skill-creator', 'SKILL.md')) ? folder : null;
}
