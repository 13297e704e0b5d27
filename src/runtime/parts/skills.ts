import { resolve } from 'node:path';
import { defaultTenant } from '../../protocol/access.ts';
import { SkillLibrary } from '../../skills/library.ts';
import { createSkillScorer, type RootOptions } from '../../skills/skills.ts';
import { toolMatcher } from '../../tools/registry.ts';
import type { DetentOptions } from '../config/detent-options.ts';

/** The skills of a configuration. No folder is read before the first use. */
export function openSkills(options: DetentOptions, workspace: string): SkillLibrary {
  return library(options, { workspace, folders: options.skills?.folders ?? [] });
}

/** The skills of all tenants. */
export interface TenantSkills {
  of(tenant: number): SkillLibrary;
  close(): void;
}

/**
 * The skills of tenant 1, and those of all others: of Detent and of the configuration, not of the folder that was opened and of
 * its user. Those are opened for the first run that needs them.
 */
export function openTenantSkills(options: DetentOptions, workspace: string): TenantSkills {
  const first = openSkills(options, workspace);
  let shared: SkillLibrary | null = null;
  const open = () => {
    const folders = (options.skills?.folders ?? []).map((folder) => resolve(workspace, folder));
    return library(options, { workspace: null, folders });
  };
  return {
    of(tenant) {
      if (tenant === defaultTenant) return first;
      shared ??= open();
      return shared;
    },
    close() {
      first.close();
      shared?.close();
    },
  };
}

function library(
  { skills = {}, env = process.env, readonly }: DetentOptions,
  place: Pick<RootOptions, 'workspace' | 'folders'>,
): SkillLibrary {
  return new SkillLibrary({
    ...skills,
    ...place,
    env,
    allowed: skills.allowed ?? null,
    matcher: toolMatcher,
    scorer: createSkillScorer(),
    isWatching: !readonly,
  });
}
