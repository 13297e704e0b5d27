import { realpath } from 'node:fs/promises';
import { startProcess } from './command-process.ts';
import { launchArguments } from './launcher.ts';
import { defaultLimits } from './limits.ts';
import type { CommandLimits, WorkingSandbox } from './sandbox.ts';

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
