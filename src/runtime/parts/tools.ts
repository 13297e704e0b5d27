import { defaults } from '../../protocol/enums.ts';
import type { Toolbox } from '../../protocol/ports.ts';
import type { Tool } from '../../protocol/tool.ts';
import type { JobWorker } from '../../schedule/job-host.ts';
import { scheduleJobName, scheduleJobTool, whyNoSchedule } from '../../schedule/schedule-job-tool.ts';
import type { SkillLibrary } from '../../skills/library.ts';
import { skillTool } from '../../skills/skills.ts';
import type { Store } from '../../store/store.ts';
import { builtinTools } from '../../tools/builtin.ts';
import { type FileRules, globMatcher } from '../../tools/files.ts';
import type { McpSource } from '../../tools/mcp-client.ts';
import { type ToolSource, toolMatcher } from '../../tools/registry.ts';
import { createToolbox } from '../../tools/toolbox.ts';
import type { DetentOptions } from '../config/detent-options.ts';
import { agentNames } from '../config/find-agent.ts';
import type { ToolLists } from '../config/tool-lists.ts';
import { version } from '../config/version.ts';
import type { OpenedShell } from './shell.ts';

interface ToolParts {
  lists: ToolLists;
  files: FileRules;
  shell: OpenedShell;
  mcp: ToolSource | null;
  /** The skills of a tenant. */
  skillsOf(tenant: number): SkillLibrary;
  /** Tools of memory and of conversations. */
  memoryTools: readonly Tool[];
  /** None without a shop. */
  shopTools: readonly Tool[];
  store: Store;
  worker: JobWorker;
}

/** @throws DetentError `DUPLICATE_TOOL`, `INVALID_TOOL`. */
export function openTools(options: DetentOptions, parts: ToolParts): Toolbox {
  const { lists, files, shell, mcp, skillsOf, memoryTools, shopTools, store, worker } = parts;
  const { tools = {}, policy = {} } = options;
  const untrusted = (policy.untrusted ?? []).map(globMatcher);
  return createToolbox({
    tools: tools.define ?? [],
    own: [
      ...builtinTools({
        files,
        shell: { ...shell.shell, readable: (tenant) => skillsOf(tenant).folders },
        egress: options.egress,
        agents: agentNames(options.agents),
      }),
      scheduleJobTool(store, worker),
      ...memoryTools,
      ...shopTools,
      skillTool(skillsOf, untrusted, files.tainted),
    ],
    ...lists,
    files,
    unavailable: shell.unavailable,
    optIn: { [scheduleJobName]: () => whyNoSchedule(worker) },
    ...(mcp && { source: mcp }),
    ...(policy.confirm && { confirm: policy.confirm }),
    fourEyes: toolMatcher(policy.fourEyes ?? []),
    taint: policy.taint ?? defaults.policy.taint,
    untrusted,
    ...(tools.limits && { limits: tools.limits }),
  });
}

/**
 * The configured MCP servers; null if none is configured, and then the MCP code is not loaded. Connects to a server
 * when a run or a command first needs its tools.
 */
export async function openMcp(
  { mcp, mcpFile, readonly, env = process.env }: DetentOptions,
  workspace: string,
  redact: (text: string) => string,
): Promise<McpSource | null> {
  if (!mcp) return null;
  const { createMcpSource } = await import('../../tools/mcp-client.ts');
  return createMcpSource({
    config: mcp,
    ...(mcpFile !== undefined && { file: mcpFile }),
    workspace,
    env,
    version: version(),
    redact,
    writesPins: !readonly,
  });
}
