import type { Command, Option } from 'commander';
import type { Flags } from '../settings/flags.ts';
import type { Io } from '../terminal/io.ts';

/** Performs a command; returns its exit code. */
type Perform = (words: readonly string[], flags: Flags, io: Io) => Promise<number>;

/** Makes a command be performed by the function that `load` imports, when the command is called. */
export type PerformedBy = (command: Command, load: () => Promise<Perform>) => void;

/** Performs commands with this `io`, and passes their exit code to `ended`. */
export function performing(io: Io, ended: (code: number) => void): PerformedBy {
  return (command, load) =>
    void command.action(async () => {
      const perform = await load();
      ended(await perform(command.args, flagsOf(command), io));
    });
}

/** Every option that was given, by its long name. */
function flagsOf(command: Command): Flags {
  const given = command.options.filter((option) => isGiven(command, option));
  return Object.fromEntries(given.map((option) => [longName(option), valueFor(command, option)]));
}

function isGiven(command: Command, option: Option): boolean {
  return command.getOptionValueSource(option.attributeName()) === 'cli';
}

/** `--no-stream` is the flag `no-stream`, and true. */
function valueFor(command: Command, option: Option): string | boolean | string[] {
  return option.negate || command.getOptionValue(option.attributeName());
}

function longName(option: Option): string {
  return option.long?.slice(2) ?? '';
}
