import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import type { CommandLimits } from './sandbox.ts';

/** The file descriptor of the control channel between a launcher and this process. */
const controlFd = 3;

/**
 * Reports that it is ready, waits for the message to go, and becomes the command's shell. Its report means that
 * everything that ends the command is in place. If this process dies before it answers, the command never starts.
 */
const handshake = `printf r >&${controlFd}; read -r go <&${controlFd} || exit 125`;

/**
 * Keeps running beside the command. It ends the whole process group when the other side of the control channel closes,
 * which happens when this process dies.
 */
const watch = `(trap '' HUP INT TERM; read -r gone <&${controlFd}; kill -KILL 0) < /dev/null > /dev/null 2>&1 &`;

interface Launch {
  limits: CommandLimits;
  timeoutMs: number;
  command: string;
  /** Whether to end the process group with this process; unnecessary in a process namespace, which does that. */
  watched: boolean;
}

/** The arguments that start a command under its limits. The command is an argument of its own, from first to last. */
export function launchArguments({ limits, timeoutMs, command, watched }: Launch): string[] {
  const shell = existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh';
  const isBash = shell === '/bin/bash';
  // Shells differ in the units of -f and in the letter for processes.
  const cpuSeconds = Math.ceil(timeoutMs / 1000) * availableParallelism();
  // A limit that is lower already stays.
  const bounds = [
    `ulimit -c 0`,
    `ulimit -t ${cpuSeconds}`,
    `ulimit -f ${Math.ceil(limits.fileBytes / (isBash ? 1024 : 512))}`,
    `ulimit -d ${Math.ceil(limits.memoryBytes / 1024)}`,
    `ulimit -n ${limits.openFiles}`,
    // Without a namespace this would count all processes of the user.
    ...(watched ? [] : [`ulimit -${isBash ? 'u' : 'p'} ${limits.processes}`]),
  ].map((line) => `${line} 2> /dev/null`);
  const script = [
    ...bounds,
    handshake,
    ...(watched ? [watch] : []),
    `exec ${controlFd}<&- < /dev/null`,
    `exec ${shell} -c -- "$1"`,
  ].join('\n');
  // A bash whose input is a socket assumes that it is a remote shell, and reads the user's ~/.bashrc.
  return [shell, ...(isBash ? ['--norc'] : []), '-c', script, 'sh', command];
}
