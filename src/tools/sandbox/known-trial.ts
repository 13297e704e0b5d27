import { readlinkSync, statSync } from 'node:fs';
import { release } from 'node:os';
import { join } from 'node:path';
import { makeFolderInHome, readWholeSync, replaceFileSync } from '../../text/files.ts';

/** What decides whether this process may make the namespaces of a sandbox, besides the program and the kernel. */
const settings = [
  '/proc/sys/kernel/random/boot_id',
  '/proc/sys/user/max_user_namespaces',
  '/proc/sys/kernel/unprivileged_userns_clone',
  '/proc/sys/kernel/apparmor_restrict_unprivileged_userns',
];
/** Lines of `/proc/self/status`: capabilities, and the system calls that a service manager forbids. */
const rights = /^(?:CapEff|CapBnd|NoNewPrivs|Seccomp|Seccomp_filters):.*$/gm;
const namespaces = ['/proc/self/ns/user', '/proc/self/ns/mnt', '/proc/self/ns/pid'];

/**
 * Whether the same trial of the sandbox has worked since the machine was started: it takes 40 ms and five processes. If the
 * sandbox has stopped working since, each command fails, because none is run without it.
 *
 * @param home `DETENT_HOME`
 * @param command the trial, with all arguments
 */
export function hasWorked(home: string, command: readonly string[]): boolean {
  return orNull(() => textOf(fileIn(home))) === factsOf(command);
}

/** Remembers a trial that worked, where there is a `DETENT_HOME` that can be written to. */
export function rememberTrial(home: string, command: readonly string[]): void {
  orNull(() => {
    if (!statSync(home).isDirectory()) return;
    makeFolderInHome(home, join(home, 'cache'));
    replaceFileSync(fileIn(home), factsOf(command), 0o600);
  });
}

const textOf = (path: string) => readWholeSync(path).toString();
const fileIn = (home: string) => join(home, 'cache/sandbox-trial.json');

function factsOf(command: readonly string[]): string {
  const [program = ''] = command;
  const { dev, ino, size, mtimeMs, ctimeMs } = statSync(program);
  const machine = [...settings.map((path) => orNull(() => textOf(path).trim())), release()];
  const own = namespaces.map((path) => orNull(() => readlinkSync(path)));
  const status = orNull(() => textOf('/proc/self/status'))?.match(rights);
  return JSON.stringify([
    command,
    [dev, ino, size, mtimeMs, ctimeMs],
    machine,
    own,
    process.getuid?.(),
    status,
  ]);
}

function orNull<T>(look: () => T): T | null {
  try {
    return look();
  } catch {
    return null;
  }
}
