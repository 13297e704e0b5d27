import type { EventBus } from '../../engine/bus.ts';
import type { Unavailable } from '../registry/tool-source.ts';
import { findSandbox, type SandboxChoice } from '../sandbox/find-sandbox.ts';
import { BackgroundJobs } from '../sandbox/jobs.ts';
import { sandboxUnavailableCode, unavailableSandbox } from '../sandbox/unavailable.ts';
import { type ShellOptions, shellTools } from './shell.ts';

export interface ShellSettings {
  choice: SandboxChoice | undefined;
  /** Whether any run may use this tool. If no run may use a shell tool, the search for a sandbox is skipped. */
  isWanted(tool: string): boolean;
  bus: EventBus;
}

/** What the shell tools need; or why they cannot work on this machine. */
export interface PreparedShell {
  shell: ShellOptions;
  unavailable: Readonly<Record<string, Unavailable>>;
}

/** Finds the sandbox of a configuration. The first time in a process it tries it out, which takes some milliseconds. */
export async function prepareShell(settings: ShellSettings): Promise<PreparedShell> {
  const { choice, isWanted, bus } = settings;
  const sandbox = shellTools.some(isWanted)
    ? await findSandbox(choice)
    : unavailableSandbox('no run may use the shell');
  const missing =
    sandbox.kind === 'unavailable' ? { code: sandboxUnavailableCode, reason: sandbox.reason } : null;
  return {
    shell: { sandbox, jobs: new BackgroundJobs(bus) },
    unavailable: missing ? Object.fromEntries(shellTools.map((name) => [name, missing])) : {},
  };
}
