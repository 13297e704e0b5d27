/** Starts a command that sleeps, in a process that a test can kill. */
import { findSandbox, type SandboxChoice } from '../../../src/tools/sandbox/find-sandbox.ts';

const [choice = 'auto', workspace = '.', mark = '1'] = process.argv.slice(2);
const sandbox = await findSandbox(choice as SandboxChoice);
process.stdout.write('now');
await sandbox.start({
  command: `sleep ${mark} & sleep ${mark}`,
  workspace,
  hidden: [],
  timeoutMs: 600_000,
  signal: new AbortController().signal,
  onOutput() {},
});
setInterval(() => {}, 1_000);
