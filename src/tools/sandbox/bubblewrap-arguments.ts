import { existsSync } from 'node:fs';
import { dirname } from 'node:path';

/** The user id inside the sandbox. Outside, the command runs as the owner of the workspace. */
const user = { uid: 1000, gid: 1000, name: 'sandbox' };

/** File descriptors of the account files; {@link accountFiles} has their texts in this order. */
const accountFds = { passwd: 4, group: 5 };

export function accountFiles(): string[] {
  const { uid, gid, name } = user;
  return [`${name}:x:${uid}:${gid}::/tmp:/bin/sh\n`, `${name}:x:${gid}:\n`];
}

/** The files of `/etc` that programs need to start. */
const systemFiles = [
  '/etc/ld.so.cache',
  '/etc/ld.so.conf',
  '/etc/ld.so.conf.d',
  '/etc/alternatives',
  '/etc/localtime',
  '/etc/mime.types',
  '/etc/ssl/certs',
  '/etc/ssl/openssl.cnf',
];
/** On merged systems links into `/usr`, on others folders of their own. */
const systemFolders = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];

const environment = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  HOME: '/tmp',
  TMPDIR: '/tmp',
  LANG: 'C.UTF-8',
  USER: user.name,
  TERM: 'dumb',
};

/** How the workspace is mounted; real paths. */
export interface MountedWorkspace {
  folder: string;
  /** Folders that are replaced by empty read-only ones. */
  emptied: readonly string[];
  /** Files that cannot be opened. */
  hidden: readonly string[];
  /** Files and folders that are mounted read-only. */
  fixed: readonly string[];
  /** Folders outside of it that can be read. */
  readable: readonly string[];
}

export interface Confinement {
  /** Null for the trial run, which needs no folder. */
  workspace: MountedWorkspace | null;
  temporaryBytes: number;
}

/**
 * The options of `bwrap` (https://manpages.debian.org/bookworm/bubblewrap/bwrap.1.en.html), without the command: new
 * namespaces of every kind, no capability, the system read-only, and of all other folders the workspace only.
 *
 * `/proc` is read-only because of root: the kernel treats root's files there as the command's own, and `--proc` by itself
 * leaves `/proc/sys` writable for their owner.
 */
export function bubblewrapArguments({ workspace, temporaryBytes }: Confinement): string[] {
  return [
    ...['--unshare-all', '--unshare-user', '--disable-userns', '--cap-drop', 'ALL'],
    ...['--die-with-parent', '--new-session', '--hostname', 'sandbox'],
    ...['--uid', String(user.uid), '--gid', String(user.gid)],
    '--clearenv',
    ...Object.entries(environment).flatMap(([name, value]) => ['--setenv', name, value]),
    ...['--ro-bind', '/usr', '/usr'],
    ...systemFolders
      .filter((folder) => existsSync(folder))
      .flatMap((folder) => ['--ro-bind', folder, folder]),
    ...systemFiles.flatMap((file) => ['--ro-bind-try', file, file]),
    ...['--ro-bind-data', String(accountFds.passwd), '/etc/passwd'],
    ...['--ro-bind-data', String(accountFds.group), '/etc/group'],
    ...['--proc', '/proc', '--remount-ro', '/proc'],
    ...['--dev', '/dev'],
    ...temporary('/dev/shm', temporaryBytes / 8),
    ...['--remount-ro', '/dev'],
    ...temporary('/tmp', temporaryBytes),
    ...(workspace ? mounts(workspace) : []),
    ...['--remount-ro', '/'],
    ...['--chdir', workspace?.folder ?? '/tmp'],
  ];
}

function temporary(folder: string, bytes: number): string[] {
  return ['--size', String(Math.ceil(bytes)), '--perms', '1777', '--tmpfs', folder];
}

function mounts({ folder, emptied, hidden, fixed, readable }: MountedWorkspace): string[] {
  return [
    // First, so that they do not cover anything of the workspace.
    ...readable.flatMap((path) => ['--ro-bind', path, path]),
    ...['--bind', folder, folder],
    // Each folder above becomes a mount, too: a command could move any other away and make another in its place.
    ...foldersAbove(fixed, folder).flatMap((path) => ['--bind', path, path]),
    ...fixed.flatMap((path) => ['--ro-bind', path, path]),
    ...emptied.flatMap((path) => ['--perms', '0555', '--tmpfs', path, '--remount-ro', path]),
    // A device file on a file system without devices: it exists, but cannot be opened.
    ...hidden.flatMap((file) => ['--ro-bind', '/dev/null', file]),
  ];
}

/** The folders between a workspace and paths in it, each before those in it. */
function foldersAbove(paths: readonly string[], workspace: string): string[] {
  const found = new Set<string>();
  for (const path of paths)
    for (let folder = dirname(path); folder.length > workspace.length; folder = dirname(folder))
      found.add(folder);
  return [...found].sort((a, b) => a.length - b.length);
}
