import { sep } from 'node:path';
import { z } from 'zod';
import type { Detent, SkillDetails, SkillList, UsageFilter } from '../../index.ts';
import { drawMermaid } from '../../inspect/draw.ts';
import { type Caller, seenUser } from '../../protocol/access.ts';
import { DetentError } from '../../protocol/error.ts';
import { isBound, ofCaller } from '../owners.ts';
import { hits, limit, queries, runId, sessionId, view } from './fields.ts';
import { isOfHost, type Method, method } from './method.ts';

const time = z.int().min(0).describe('Milliseconds since the epoch.');

const machineName = z.string().min(1).max(100);

const machine = z.strictObject({
  name: machineName.optional(),
  version: z.int().min(1).max(1000).optional().describe('Default: that of new runs.'),
});

export const knowledgeMethods: readonly Method[] = [
  method({
    name: 'skill.list',
    scope: 'read',
    summary:
      'The skills that runs can use. Where the folders of skills are needs the scope `admin`, in tenant 1.',
    input: z.strictObject({}),
    output: view({}, 'Skills'),
    http: { verb: 'get', path: '/skills' },
    async perform({ detent, caller }) {
      const list = await usable(detent, caller);
      return { skills: seesFolders(caller) ? list : withoutFolders(list) };
    },
  }),
  method({
    name: 'skill.get',
    scope: 'read',
    summary: 'A skill with its text.',
    input: z.strictObject({ name: z.string().min(1).max(200) }),
    output: view({ name: z.string(), body: z.string() }, 'Skill'),
    http: { verb: 'get', path: '/skills/{name}' },
    async perform({ detent, caller }, { name }) {
      const list = await usable(detent, caller);
      if (caller.agents && !list.skills.some((one) => one.name === name))
        throw new DetentError('NOT_FOUND', `there is no skill ${JSON.stringify(name)}`);
      const skill = await detent.skills.show(name, caller.tenantId);
      return { ...(seesFolders(caller) ? skill : withoutFolder(skill, list)) };
    },
  }),
  method({
    name: 'tool.list',
    scope: 'read',
    summary: 'The tools that runs can use, and which of them ask a person.',
    input: z.strictObject({}),
    output: z.strictObject({ tools: z.array(view({ name: z.string() })) }),
    http: { verb: 'get', path: '/tools' },
    async perform({ detent, caller: { tenantId, agents } }) {
      const tools = await detent.tools.describe(tenantId);
      const isUsable = agents ? (await detent.agents.use(agents)).tool : () => true;
      return { tools: tools.filter(({ name }) => isUsable(name)).map((tool) => ({ ...tool })) };
    },
  }),
  method({
    name: 'memory.search',
    scope: 'read',
    summary: 'Searches the memory of the tenant.',
    input: z.strictObject({ query: queries, limit: hits }),
    output: view({}, 'MemorySearch'),
    http: { verb: 'get', path: '/memory/search' },
    perform: async ({ detent, caller }, { query, limit }) => ({
      ...(await detent.memory.search(query, { ...(limit !== undefined && { limit }), ...memoryOf(caller) })),
    }),
  }),
  method({
    name: 'memory.list',
    scope: 'read',
    summary: 'The files of the memory of the tenant, or of the user whom the token is bound to.',
    input: z.strictObject({}),
    output: view({}, 'MemoryFiles'),
    http: { verb: 'get', path: '/memory/files' },
    perform: async ({ detent, caller }) => ({ ...(await detent.memory.files(memoryOf(caller))) }),
  }),
  method({
    name: 'memory.get',
    scope: 'read',
    summary: 'Lines of a memory file.',
    input: z.strictObject({
      path: z.string().min(1).max(1000).describe('`MEMORY.md`, or a Markdown file under `memory/`.'),
      line: z.int().min(1).optional(),
      limit: z.int().min(1).max(10_000).optional(),
    }),
    output: view({ path: z.string(), text: z.string() }, 'MemoryText'),
    http: { verb: 'get', path: '/memory/file' },
    perform: async ({ detent, caller }, { path, line, limit }) => ({
      ...(await detent.memory.get(path, {
        ...memoryOf(caller),
        ...(line !== undefined && { line }),
        ...(limit !== undefined && { limit }),
      })),
    }),
  }),
  method({
    name: 'machine.get',
    scope: 'read',
    summary: 'The statechart of runs: states, transitions, guards, and the same as a Mermaid diagram.',
    input: machine,
    output: view({ mermaid: z.string().describe('A `stateDiagram-v2`.') }, 'Machine'),
    http: { verb: 'get', path: '/machine' },
    async perform({ detent }, { name, version }) {
      const definition = await detent.machine.get(name, version);
      return { ...definition, mermaid: drawMermaid(definition) };
    },
  }),
  method({
    name: 'machine.layout',
    scope: 'read',
    summary: 'Where to draw the statechart’s states and edges.',
    input: machine,
    output: view({}, 'MachineLayout'),
    http: { verb: 'get', path: '/machine/layout' },
    perform: async ({ detent }, { name, version }) => ({ ...(await detent.machine.layout(name, version)) }),
  }),
  method({
    name: 'config.get',
    scope: 'admin',
    summary: 'The configuration in force, with every secret masked; for tenant 1 alone.',
    input: z.strictObject({}),
    output: view({}, 'Config'),
    http: { verb: 'get', path: '/config' },
    perform: async ({ detent, caller }) => {
      refuseOtherTenants(caller);
      return { config: await detent.config.get() };
    },
  }),
  method({
    name: 'config.origins',
    scope: 'admin',
    summary: 'Where each value of the configuration comes from; for tenant 1 alone.',
    input: z.strictObject({}),
    output: view({}, 'ConfigOrigins'),
    http: { verb: 'get', path: '/config/origins' },
    perform: async ({ detent, caller }) => {
      refuseOtherTenants(caller);
      return { origins: await detent.config.origins() };
    },
  }),
  method({
    name: 'usage.get',
    scope: 'read',
    summary:
      'Sums of model calls, tokens and costs: of the tenant, or of what exists for the token in it. The budgets are the tenant’s: a token that is bound to a user, agents or workflows gets none.',
    input: z.strictObject({
      sessionId: sessionId.optional(),
      runId: runId.optional(),
      from: time.optional(),
      to: time.optional(),
      by: z.enum(['day', 'model', 'session', 'user', 'run', 'purpose']).optional(),
      limit: limit(1000, 1000),
    }),
    output: view({}, 'Usage'),
    http: { verb: 'get', path: '/usage' },
    async perform({ detent, caller }, { sessionId, ...filter }) {
      const session = sessionId !== undefined && { session: sessionId };
      const budgets = isBound(caller) ? [] : await detent.budgets.list(caller.tenantId);
      return {
        ...(await detent.usage({ ...filter, ...ofCaller(caller), ...session } as UsageFilter)),
        budgets,
      };
    },
  }),
];

/** Where files of the machine are is the affair of the host. */
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

/** Skills with their paths within the folder that they were found in: where that is, is the machine's own affair. */
function withoutFolders({ skills, bad, unknown, folders }: SkillList): Omit<SkillList, 'folders'> {
  const within = relativeTo(folders);
  return {
    unknown,
    bad: bad.map(({ path, reasons }) => ({ path: within(path), reasons: reasons.map(within) })),
    skills: skills.map((skill) => withoutPath(skill, within)),
  };
}

function withoutFolder(skill: SkillDetails, { folders }: SkillList): SkillDetails {
  const within = relativeTo(folders);
  return { ...withoutPath(skill, within), files: skill.files?.map(within) ?? null };
}

function withoutPath<T extends Pick<SkillDetails, 'path' | 'warnings' | 'shadows'>>(
  skill: T,
  within: (text: string) => string,
): T {
  return {
    ...skill,
    path: within(skill.path),
    warnings: skill.warnings.map(within),
    shadows: skill.shadows.map(within),
  };
}

function relativeTo(folders: SkillList['folders']): (text: string) => string {
  // A folder may be in another one.
  const known = folders.map(({ folder }) => folder).sort((a, b) => b.length - a.length);
  return (text) =>
    known.reduce((rest, folder) => rest.replaceAll(`${folder}${sep}`, '').replaceAll(folder, '.'), text);
}
