import type { Command, Option } from 'commander';
import type { Flags } from '../settings/flags.ts';

/** What performs a command; answers its exit code. */
export type Perform = (words: readonly string[], flags: Flags) => Promise<number>;

/** Lets a command be performed by what `load` brings, which is loaded only when the command is called. */
export function performedBy(command: Command, load: () => Promise<Perform>): Command {
  return command.action(async () => {
    const perform = await load();
    process.exitCode = await perform(command.args, flagsOf(command));
  });
}

/** Every option that was given, by its long name. */
function flagsOf(command: Command): Flags {
  const given = command.options.filter((option) => isGiven(command, option));
  return Object.fromEntries(given.map((option) => [nameOf(option), valueFor(command, option)]));
}

function isGiven(command: Command, option: Option): boolean {
  return command.getOptionValueSource(option.attributeName()) === 'cli';
}

/** `--no-stream` is the flag `no-stream`, and true. */
function valueFor(command: Command, option: Option): string | boolean | string[] {
  return option.negate || command.getOptionValue(option.attributeName());
}

function nameOf(option: Option): string {
  return option.long?.slice(2) ?? '';
}
