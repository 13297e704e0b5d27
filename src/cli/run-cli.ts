import { createIo, type Host } from './terminal/io.ts';

/** Runs one command line to its end and prints its error, if any; returns the exit code. */
export async function runCli(args: readonly string[], host: Host): Promise<number> {
  const io = createIo(host);
  const [first] = args;
  try {
    if (first === '--version' || first === '-v') {
      const { version } = await import('../runtime/version.ts');
      io.out(`${version()}\n`);
      return 0;
    }
    const { perform } = await import('./program.ts');
    return await perform(args, io);
  } catch (error) {
    const { exitCodeOfError } = await import('./terminal/exit-codes.ts');
    io.complain(error);
    return exitCodeOfError(error);
  }
}
