import { sep } from 'node:path';
import type { Detent, SkillDetails, SkillList, UsageFilter } from '../../index.ts';
import { type Caller, seenUser } from '../../protocol/access.ts';
import { DetentError } from '../../protocol/error.ts';
import type { knowledgeMethods as declared } from '../../protocol/methods.ts';
import { saidReason } from '../../protocol/views.ts';
import { isBound, ofCaller } from '../feeds/sight.ts';
import { isOfHost, type Performers } from './method.ts';

export const knowledgePerformers = {
  async 'skill.list'({ detent, caller }) {
    const list = await usable(detent, caller);
    return { skills: seesFolders(caller) ? list : withoutFolders(list) };
  },
  async 'skill.get'({ detent, caller }, { name }) {
    const list = await usable(detent, caller);
    if (caller.agents && !list.skills.some((one) => one.name === name))
      throw new DetentError('NOT_FOUND', `there is no skill ${JSON.stringify(name)}`, { details: { name } });
    const skill = await detent.skills.show(name, caller.tenantId);
    return { ...(seesFolders(caller) ? skill : withoutFolder(skill, list)) };
  },
  async 'tool.list'({ detent, caller: { tenantId, agents } }) {
    const tools = await detent.tools.describe(tenantId);
    const isUsable = agents ? (await detent.agents.use(agents)).tool : () => true;
    return { tools: tools.filter(({ name }) => isUsable(name)) };
  },
  'memory.search': async ({ detent, caller }, { query, limit }) =>
    detent.memory.search(query, { ...(limit !== undefined && { limit }), ...memoryOf(caller) }),
  'memory.list': async ({ detent, caller }) => ({ ...(await detent.memory.files(memoryOf(caller))) }),
  'memory.get': async ({ detent, caller }, { path, line, limit }) =>
    detent.memory.get(path, {
      ...memoryOf(caller),
      ...(line !== undefined && { line }),
      ...(limit !== undefined && { limit }),
    }),
  async 'machine.get'({ detent }, { name, version }) {
    const { drawMermaid } = await import('../../inspect/draw.ts');
    const definition = await detent.machine.get(name, version);
    return { ...definition, mermaid: drawMermaid(definition) };
  },
  'machine.layout': async ({ detent }, { name, version }) => ({
    ...(await detent.machine.layout(name, version)),
  }),
  'config.get': async ({ detent, caller }) => {
    refuseOtherTenants(caller);
    return { config: await detent.config.get() };
  },
  'config.origins': async ({ detent, caller }) => {
    refuseOtherTenants(caller);
    return { origins: await detent.config.origins() };
  },
  async 'usage.get'({ detent, caller }, filter) {
    const budgets = isBound(caller) ? [] : await detent.budgets.list(caller.tenantId);
    return {
      ...(await detent.usage({ ...filter, ...ofCaller(caller) } as UsageFilter)),
      budgets,
    };
  },
} satisfies Performers<typeof declared>;

/** Whether the caller may see paths of the machine: only the host may. */
function seesFolders(caller: Caller): boolean {
  return isOfHost(caller) && caller.scopes.includes('admin');
}

/** @throws DetentError `FORBIDDEN`. */
function refuseOtherTenants(caller: Caller): void {
  if (isOfHost(caller)) return;
  throw new DetentError(
    'FORBIDDEN',
    'the configuration is that of the host: a token of tenant 1 that is bound to no agents or workflows reads it',
  );
}

/** The skills that the agents of the caller may use. */
async function usable(detent: Detent, { tenantId, agents }: Caller): Promise<SkillList> {
  const list = await detent.skills.list(tenantId);
  if (!agents) return list;
  const { skill: isUsable } = await detent.agents.use(agents);
  return { ...list, skills: list.skills.filter(({ name }) => isUsable(name)), bad: [], unknown: [] };
}

/** Whose memory the caller reads. */
function memoryOf(caller: Caller): { tenantId: number; userId: string | null } {
  return { tenantId: caller.tenantId, userId: seenUser(caller) };
}

/** Skills with paths relative to the folder in which they were found, so that folders of the machine stay private. */
function withoutFolders({ skills, bad, unknown, folders }: SkillList): Omit<SkillList, 'folders'> {
  const within = relativeTo(folders);
  return {
    unknown,
    bad: bad.map(({ path, reasons: written }) => {
      const reasons = written.map(within);
      return { path: within(path), reasons, sentences: reasons.map(saidReason) };
    }),
    skills: skills.map((skill) => withoutPath(skill, within)),
  };
}

function withoutFolder(skill: SkillDetails, { folders }: SkillList): SkillDetails {
  const within = relativeTo(folders);
  return { ...withoutPath(skill, within), files: skill.files?.map(within) ?? null };
}

function withoutPath<T extends Pick<SkillDetails, 'path' | 'shadows'>>(
  skill: T,
  within: (text: string) => string,
): T {
  return {
    ...skill,
    path: within(skill.path),
    shadows: skill.shadows.map(within),
  };
}

function relativeTo(folders: SkillList['folders']): (text: string) => string {
  // A folder may be in another one.
  const known = folders.map(({ folder }) => folder).sort((a, b) => b.length - a.length);
  return (text) =>
    known.reduce((rest, folder) => rest.replaceAll(`${folder}${sep}`, '').replaceAll(folder, '.'), text);
}
