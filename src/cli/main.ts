#!/usr/bin/env node
import { enableCompileCache } from 'node:module';

enableCompileCache();

type Command = (args: readonly string[]) => Promise<number>;

const commands: Readonly<Record<string, () => Promise<Command>>> = {
  run: async () => (await import('./run-command.ts')).runCommand,
  runs: async () => (await import('./runs/index.ts')).runsCommand,
  chat: async () => (await import('./chat-command.ts')).chatCommand,
  machine: async () => (await import('./machine-command.ts')).machineCommand,
};

// A reader that has seen enough (`detent run … | head -1`) is no error, and does not end the run.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return;
    process.exitCode = 1;
    if (stream === process.stdout)
      process.stderr.write(`detent: stdout cannot be written: ${error.message}\n`);
    process.exit();
  });

// A tool of the user's that throws from a callback must not look like a broken Detent.
for (const event of ['uncaughtException', 'unhandledRejection'] as const)
  process.on(event, async (error: unknown) => {
    const { complain } = await import('./say.ts');
    complain(error);
    process.exit(1);
  });

// A command that waits for something that holds no process (a timer before the next try) must not just end.
const held = setInterval(() => {}, 2 ** 30);
process.exitCode = await main(process.argv.slice(2));
clearInterval(held);
await Promise.all([process.stdout, process.stderr].map(written));
// A cancelled tool that does not give up must not hold the process.
process.exit();

function written(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => void stream.write('', () => resolve()));
}

async function main([name, ...args]: readonly string[]): Promise<number> {
  try {
    if (name === '--version' || name === '-v') {
      const { version } = await import('./version.ts');
      process.stdout.write(`${version()}\n`);
      return 0;
    }
    if (name === undefined || name === '--help' || name === '-h' || name === 'help' || asksForHelp(args)) {
      const { help } = await import('./help.ts');
      process.stdout.write(help(name === 'help' ? args[0] : name));
      return 0;
    }
    const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (!load) {
      const { usage } = await import('./parse.ts');
      throw usage(`there is no command "${name}"; there are ${Object.keys(commands).join(', ')}`);
    }
    return await (await load())(args);
  } catch (error) {
    const { complain } = await import('./say.ts');
    const { exitCodeOfError } = await import('./exit-codes.ts');
    complain(error);
    return exitCodeOfError(error);
  }
}

function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  const flags = end < 0 ? args : args.slice(0, end);
  return flags.includes('--help') || flags.includes('-h');
}
