import { accessSync, constants } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { promisify } from 'node:util';
import { messageOf } from '../../protocol/error.ts';
import { sandboxProblem } from '../../protocol/views.ts';
import { bubblewrap, trialOf, tryBubblewrap } from './bubblewrap.ts';
import { defaultLimits } from './command-limits.ts';
import { startProcess } from './command-process.ts';
import { hasWorked, rememberTrial } from './known-trial.ts';
import { launchArguments } from './launcher.ts';
import type { CommandLimits, Sandbox, WorkingSandbox } from './sandbox.ts';
import { unavailableSandbox } from './unavailable.ts';

/** Values of the option `sandbox`. Only an explicit `none` runs commands without a sandbox. */
export type SandboxChoice = 'auto' | 'bubblewrap' | 'none';

/** The sandbox that this machine has. */
export type FoundBubblewrap =
  | { works: true; program: string }
  | { works: false; program: string | null; reason: string; remedy: string };

const trialMs = 10_000;
/** The trials in progress, and those that worked. */
const trials = new Map<string, Promise<FoundBubblewrap>>();
/** Homes and programs of which this process has read that a trial worked: what decides it does not change while it lives. */
const worked = new Set<string>();

/**
 * The sandbox of a configuration. If it does not work, one that refuses every command with the reason.
 *
 * @param home `DETENT_HOME`, which remembers a trial that worked; without it the sandbox is tried
 */
export async function findSandbox(choice: SandboxChoice = 'auto', home?: string): Promise<Sandbox> {
  if (choice === 'none') return unconfined();
  const program = process.platform === 'linux' ? programIn(process.env.PATH ?? '') : null;
  const known = `${home}\0${program}`;
  if (home !== undefined && program !== null)
    if (worked.has(known) || hasWorked(home, trialOf(program, trialMs))) {
      worked.add(known);
      return bubblewrap(program);
    }
  const found = await findBubblewrap();
  if (home !== undefined && found.works) rememberTrial(home, trialOf(found.program, trialMs));
  return found.works ? bubblewrap(found.program) : unavailableSandbox(`${found.reason}; ${found.remedy}`);
}

/**
 * Looks for bubblewrap and tries it. One that works is tried once per process; who asks after one that did not work, or was not there, has it
 * tried again, as a person may have mended that.
 */
export function findBubblewrap(
  path: string = process.env.PATH ?? '',
  platform: string = process.platform,
): Promise<FoundBubblewrap> {
  const key = `${platform}\0${path}`;
  const known = trials.get(key);
  if (known) return known;
  const trial = look(path, platform);
  trials.set(key, trial);
  void trial.then(({ works }) => works || trials.delete(key));
  return trial;
}

async function look(path: string, platform: string): Promise<FoundBubblewrap> {
  if (platform !== 'linux')
    return {
      works: false,
      program: null,
      ...sandboxProblem('sandbox_not_linux', { platform }),
    };
  const program = programIn(path);
  if (program === null)
    return {
      works: false,
      program,
      ...sandboxProblem('sandbox_not_installed'),
    };
  try {
    await tryBubblewrap(program, trialMs);
    return { works: true, program };
  } catch (error) {
    const problem = sandboxProblem('sandbox_broken', { program, said: complaintOf(error) });
    return { works: false, program, ...problem };
  }
}

/** `0.8.0`; null when the program does not print it. */
export async function bubblewrapVersion(program: string): Promise<string | null> {
  // Not imported: only the doctor asks.
  const { execFile } = process.getBuiltinModule('node:child_process');
  const said = await promisify(execFile)(program, ['--version'], { timeout: trialMs }).catch(() => null);
  return said?.stdout.match(/\d+(\.\d+)+/)?.[0] ?? null;
}

function programIn(path: string): string | null {
  const folders = [...path.split(':').filter(isAbsolute), '/usr/bin', '/bin'];
  return folders.map((folder) => join(folder, 'bwrap')).find(isExecutable) ?? null;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The message without the prefix that all failures of a sandbox share. */
function complaintOf(error: unknown): string {
  return messageOf(error).replace(/^.*does not work here: /s, '');
}

const passedOn = ['PATH', 'HOME', 'LANG', 'TMPDIR', 'USER', 'LOGNAME'];

/**
 * No sandbox: a command has the rights of this process, the network and every file. It gets a clean environment, limits
 * and a process group that ends with it; a process that leaves the group by `setsid` keeps running.
 */
export function unconfined(
  env: Readonly<Record<string, string | undefined>> = process.env,
  limits: CommandLimits = defaultLimits,
): WorkingSandbox {
  const clean = Object.fromEntries(passedOn.flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
  return {
    kind: 'none',
    reach: 'It runs on this machine with no sandbox: be careful.',
    async start(job) {
      const { command, timeoutMs } = job;
      const [file = '', ...args] = launchArguments({ limits, timeoutMs, command, watched: true });
      const cwd = await realpath(job.workspace);
      return startProcess({ file, args, env: { ...clean, TERM: 'dumb' }, cwd, feeds: [] }, job);
    },
  };
}
