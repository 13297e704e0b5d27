import type { EventBus } from '../../engine/bus.ts';
import type { Unavailable } from '../registry/tool-source.ts';
import { findSandbox, type SandboxChoice } from '../sandbox/find-sandbox.ts';
import { BackgroundJobs } from '../sandbox/jobs.ts';
import { sandboxUnavailableCode, unavailableSandbox } from '../sandbox/unavailable.ts';
import { type ShellOptions, shellTools } from './shell.ts';

export interface ShellSettings {
  choice: SandboxChoice | undefined;
  /** Whether any run may use one of these tools; if none may, no sandbox is looked for. */
  isWanted(tool: string): boolean;
  bus: EventBus;
  /** Null when there is none in a file. */
  databaseFile: string | null;
}

/** What the shell tools need, and why they cannot work here when they cannot. */
export interface PreparedShell {
  shell: ShellOptions;
  unavailable: Readonly<Record<string, Unavailable>>;
}

/** Finds the sandbox of a configuration: a trial of some milliseconds, the first time in a process. */
export async function prepareShell(settings: ShellSettings): Promise<PreparedShell> {
  const { choice, isWanted, bus, databaseFile } = settings;
  const sandbox = shellTools.some(isWanted)
    ? await findSandbox(choice)
    : unavailableSandbox('no run may use the shell');
  const missing =
    sandbox.kind === 'unavailable' ? { code: sandboxUnavailableCode, reason: sandbox.reason } : null;
  return {
    shell: { sandbox, jobs: new BackgroundJobs(bus), hidden: databaseFiles(databaseFile) },
    unavailable: missing ? Object.fromEntries(shellTools.map((name) => [name, missing])) : {},
  };
}

/** The database with the files that stand beside it: https://sqlite.org/tempfiles.html, and the lock of its driver. */
function databaseFiles(file: string | null): string[] {
  return file === null ? [] : ['', '-wal', '-shm', '-journal', '-lock'].map((ending) => `${file}${ending}`);
}
