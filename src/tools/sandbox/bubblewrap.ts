import { lstat, realpath, stat } from 'node:fs/promises';
import { release } from 'node:os';
import { dirname, join } from 'node:path';
import { isInside } from '../files/workspace-path.ts';
import {
  accountFiles,
  bubblewrapArguments,
  type Confinement,
  type MountedWorkspace,
} from './bubblewrap-arguments.ts';
import { defaultLimits } from './command-limits.ts';
import { startProcess } from './command-process.ts';
import { launchArguments } from './launcher.ts';
import type { CommandJob, CommandLimits, RunningCommand, WorkingSandbox } from './sandbox.ts';
import { sandboxUnavailable } from './unavailable.ts';

const reserved = '.detent';
/** Files that are, or name, programs that Detent runs outside of the sandbox. */
const configurations = [
  ...['ts', 'mjs', 'js', 'json', 'yaml', 'yml'].map((kind) => `detent.config.${kind}`),
  '.mcp.json',
];
/** System folders: mounting one of these for writing would give commands the whole system. */
const systemRoots = new Set([
  '/',
  '/bin',
  '/boot',
  '/dev',
  '/etc',
  '/home',
  '/lib',
  '/proc',
  '/root',
  '/sys',
  '/usr',
  '/var',
]);

/**
 * A sandbox by bubblewrap (https://github.com/containers/bubblewrap): only the workspace is writable, the system is
 * read-only, and there is no network, no capability and none of this process's environment. All processes of a command
 * live in a process namespace that ends with it.
 *
 * @param program absolute path of `bwrap`, 0.8 or newer
 */
export function bubblewrap(program: string, limits: CommandLimits = defaultLimits): WorkingSandbox {
  return {
    kind: 'bubblewrap',
    reach: 'It runs in a sandbox without a network; only the workspace and /tmp can be written.',
    async start(job) {
      const workspace = await mounted(job);
      return startConfined(program, limits, workspace, job, await ownerOf(workspace.folder));
    },
  };
}

/** Runs nothing in a sandbox without a workspace. @throws ToolFailure `SANDBOX_UNAVAILABLE` with what bwrap says. */
export async function tryBubblewrap(program: string, timeoutMs: number): Promise<void> {
  const signal = AbortSignal.timeout(timeoutMs);
  const job = { command: trialCommand, timeoutMs, signal, onOutput() {} };
  const { ended } = await startConfined(program, defaultLimits, null, job, currentUser());
  const { how, code } = await ended;
  if (how !== 'exited' || code !== 0) throw sandboxUnavailable(`a trial ended with code ${code}`);
}

const trialCommand = ':';

/** The command of {@link tryBubblewrap}, as it is started. */
export function trialOf(program: string, timeoutMs: number): string[] {
  return confined(program, defaultLimits, null, { command: trialCommand, timeoutMs }, currentUser());
}

type Job = Pick<CommandJob, 'command' | 'timeoutMs' | 'signal' | 'onOutput'>;

interface Owner {
  uid: number;
  gid: number;
}

function startConfined(
  program: string,
  limits: CommandLimits,
  workspace: Confinement['workspace'],
  job: Job,
  owner: Owner,
): Promise<RunningCommand> {
  const [file = '', ...args] = confined(program, limits, workspace, job, owner);
  return startProcess(
    {
      file,
      args,
      // Not this process's environment: a command could read it from the first process of its namespace.
      env: {},
      cwd: '/',
      feeds: accountFiles(),
      ...(owner.uid !== currentUser().uid && { owner }),
    },
    job,
  );
}

/** The command line of a confined command. */
function confined(
  program: string,
  limits: CommandLimits,
  workspace: Confinement['workspace'],
  job: Pick<CommandJob, 'command' | 'timeoutMs'>,
  { uid }: Owner,
): string[] {
  const { temporaryBytes } = limits;
  const launch = launchArguments({ ...job, limits, watched: false });
  const inner = [program, ...bubblewrapArguments({ workspace, temporaryBytes }), '--', ...launch];
  return uid === 0 ? [...aroundRoot(program, limits), ...inner] : inner;
}

/**
 * The second sandbox that root needs around the first, because the kernel treats root's files as the command's own:
 *
 * - Devices are the machine's, and a command could change their mode: `/dev` becomes read-only before the inner sandbox
 *   takes devices from it. (Bubblewrap cannot make a device read-only without making it useless.)
 * - The kernel does not enforce a maximum number of processes for root in any user namespace. Since Linux 6.14 a process
 *   namespace has its own `kernel.pid_max`, which includes all namespaces below it. On older kernels that file is the
 *   maximum of the whole machine, and Detent leaves it unchanged.
 */
function aroundRoot(program: string, { processes }: CommandLimits): string[] {
  const steps = [
    'mount --rbind /dev /dev',
    'mount -o remount,bind,ro,nosuid,noexec /dev',
    ...(isKernelFrom(6, 14) ? [`echo ${Math.max(processes, 301)} > /proc/sys/kernel/pid_max`] : []),
    'exec "$@"',
  ];
  return [
    ...[program, '--unshare-user', '--uid', '0', '--gid', '0', '--unshare-pid', '--die-with-parent'],
    ...['--cap-add', 'CAP_SYS_ADMIN', '--setenv', 'PATH', '/usr/sbin:/usr/bin:/sbin:/bin'],
    ...['--dev-bind', '/', '/', '--', '/bin/sh', '-c', steps.join(' && '), 'sh'],
  ];
}

/** Whether the kernel limits the number of processes for commands that run as this user. */
export function boundsProcesses(uid: number): boolean {
  return uid !== 0 || isKernelFrom(6, 14);
}

function isKernelFrom(major: number, minor: number): boolean {
  const [ownMajor = 0, ownMinor = 0] = release()
    .split('.')
    .map((part) => Number.parseInt(part, 10));
  return ownMajor > major || (ownMajor === major && ownMinor >= minor);
}

async function mounted({
  workspace,
  hidden,
  fixed = [],
  readable = [],
}: Pick<CommandJob, 'workspace' | 'hidden' | 'fixed' | 'readable'>): Promise<MountedWorkspace> {
  const folder = await realpath(workspace).catch((error: Error) => {
    throw sandboxUnavailable(`the workspace cannot be opened: ${error.message}`);
  });
  if (systemRoots.has(folder))
    throw sandboxUnavailable(`the workspace is ${folder}, a folder of the system; use one of its own`);
  const own = join(folder, reserved);
  const found = await lstat(own).catch(() => null);
  // A command could replace a link by a folder with another database.
  if (found && !found.isDirectory()) throw sandboxUnavailable(`${reserved} of the workspace is not a folder`);
  const covered = await existing(hidden, folder, own);
  const folders = await onlyFolders(covered);
  return {
    folder,
    emptied: [own, ...folders],
    hidden: covered.filter((path) => !folders.includes(path)),
    fixed: [
      ...new Set(
        await existing([...configurations.map((name) => join(folder, name)), ...fixed], folder, own),
      ),
    ],
    readable: await outside(readable, folder),
  };
}

/** The real paths of the folders that exist and neither are in the workspace nor contain it. */
async function outside(folders: readonly string[], workspace: string): Promise<string[]> {
  const found = await Promise.all(folders.map((folder) => realpath(folder).catch(() => null)));
  return found.filter(
    (folder): folder is string =>
      folder !== null &&
      !systemRoots.has(folder) &&
      !isInside(workspace, folder) &&
      !isInside(folder, workspace),
  );
}

/** The real paths of the files that are in the workspace, but not in its hidden folder. */
async function existing(files: readonly string[], folder: string, own: string): Promise<string[]> {
  const found = await Promise.all(files.map((file) => realpath(file).catch(() => null)));
  return found.filter(
    (file): file is string => file !== null && isInside(folder, dirname(file)) && !isInside(own, file),
  );
}

async function onlyFolders(paths: readonly string[]): Promise<string[]> {
  const stats = await Promise.all(paths.map((path) => lstat(path)));
  return paths.filter((_, i) => stats[i]?.isDirectory());
}

/** The owner of the workspace, who shall own the files that a command makes; only root can run commands as that user. */
async function ownerOf(folder: string): Promise<Owner> {
  const own = currentUser();
  if (own.uid !== 0) return own;
  const { uid, gid } = await stat(folder);
  return { uid, gid };
}

function currentUser(): Owner {
  return { uid: process.getuid?.() ?? -1, gid: process.getgid?.() ?? -1 };
}
