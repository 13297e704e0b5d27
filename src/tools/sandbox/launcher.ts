import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import type { CommandLimits } from './sandbox.ts';

/** Where a launcher and this process speak with each other. */
export const controlFd = 3;

/**
 * Says that it is there, waits for the word to go, and becomes the command's shell. Whoever hears the first knows that
 * everything that ends the command is in place; and when this process dies before, the command never starts.
 */
const handshake = `printf r >&${controlFd}; read -r go <&${controlFd} || exit 125`;

/**
 * Stays behind beside the command, and ends the whole process group when the other side of the control channel is closed,
 * as it is when this process dies.
 */
const watch = `(trap '' HUP INT TERM; read -r gone <&${controlFd}; kill -KILL 0) < /dev/null > /dev/null 2>&1 &`;

export interface Launch {
  limits: CommandLimits;
  timeoutMs: number;
  command: string;
  /** Ends the process group with this process; where a process namespace does so, it is of no use. */
  watched: boolean;
}

/** The arguments that start a command under its limits. The command is an argument of its own, from first to last. */
export function launchArguments({ limits, timeoutMs, command, watched }: Launch): string[] {
  const shell = existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh';
  const isBash = shell === '/bin/bash';
  // The units of -f and the letter for processes are not the same in all shells.
  const cpuSeconds = Math.ceil(timeoutMs / 1000) * availableParallelism();
  // A bound that is lower already stays as it is.
  const bounds = [
    `ulimit -c 0`,
    `ulimit -t ${cpuSeconds}`,
    `ulimit -f ${Math.ceil(limits.fileBytes / (isBash ? 1024 : 512))}`,
    `ulimit -d ${Math.ceil(limits.memoryBytes / 1024)}`,
    `ulimit -n ${limits.openFiles}`,
    // Without a namespace all processes of the user would count.
    ...(watched ? [] : [`ulimit -${isBash ? 'u' : 'p'} ${limits.processes}`]),
  ].map((line) => `${line} 2> /dev/null`);
  const script = [
    ...bounds,
    handshake,
    ...(watched ? [watch] : []),
    `exec ${controlFd}<&- < /dev/null`,
    `exec ${shell} -c -- "$1"`,
  ].join('\n');
  // A bash whose input is a socket takes itself for a remote shell, and reads the user's ~/.bashrc.
  return [shell, ...(isBash ? ['--norc'] : []), '-c', script, 'sh', command];
}
