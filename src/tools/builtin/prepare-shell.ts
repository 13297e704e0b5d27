import type { EventBus } from '../../engine/bus.ts';
import type { Unavailable } from '../../protocol/ports.ts';
import { BackgroundJobs } from '../sandbox/background-jobs.ts';
import { findSandbox, type SandboxChoice } from '../sandbox/find-sandbox.ts';
import { sandboxUnavailableCode, unavailableSandbox } from '../sandbox/unavailable.ts';
import { type ShellOptions, shellTools } from './shell.ts';

interface ShellSettings {
  choice: SandboxChoice | undefined;
  /** Whether any run may use this tool. If no run may use a shell tool, the search for a sandbox is skipped. */
  isWanted(tool: string): boolean;
  bus: EventBus;
  /** `DETENT_HOME`. */
  home?: string;
}

/** What the shell tools need; or why they cannot work on this machine. */
export interface PreparedShell {
  shell: ShellOptions;
  unavailable: Readonly<Record<string, Unavailable>>;
}

/** Finds the sandbox of a configuration, and tries it unless `home` remembers that it worked. */
export async function prepareShell(settings: ShellSettings): Promise<PreparedShell> {
  const { choice, isWanted, bus, home } = settings;
  const sandbox = shellTools.some(isWanted)
    ? await findSandbox(choice, home)
    : unavailableSandbox('no run may use the shell');
  const missing =
    sandbox.kind === 'unavailable' ? { code: sandboxUnavailableCode, reason: sandbox.reason } : null;
  return {
    shell: { sandbox, jobs: new BackgroundJobs(bus) },
    unavailable: missing ? Object.fromEntries(shellTools.map((name) => [name, missing])) : {},
  };
}
