import { Command, Option } from 'commander';
import { approvals, modelApis, runStatuses } from '../../protocol/enums.ts';
import type { Flags } from '../settings/flags.ts';
import type { Io } from '../terminal/io.ts';

/** Performs a command; returns its exit code. */
type Perform = (words: readonly string[], flags: Flags, io: Io) => Promise<number>;

/** A command line that is performed, and the exit code of its command. */
export interface CommandLine {
  io: Io;
  code: number;
}

const trustOption = ['--trust', 'trust the files of the folder for this command only'] as const;

const baseUrlOption = [
  '--base-url <URL>',
  'any server that speaks the protocol; PROVIDER may then be any word',
] as const;
const apiKeyOption = ['--api-key-env <NAME>', 'the variable that holds the key'] as const;

function apiOption(): Option {
  const about = 'chat (default), responses (both of OpenAI) or messages (Anthropic)';
  return new Option('--api <PROTOCOL>', about).choices(modelApis);
}

/** @param usual what happens without it */
export function approveOption(usual: string): Option {
  return new Option(
    '--approve <MODE>',
    `calls that need approval: ${usual}, allow all, or allow none`,
  ).choices(approvals);
}

/** An option whose values add up. */
export function repeatable(flags: string, about: string): Option {
  const add = (value: string, values: string[] = []) => [...values, value];
  return new Option(flags, `${about}; may be given several times`).argParser(add);
}

export const runArgument = ['<RUN>', 'id of a run, or its beginning; "last" for the newest run'] as const;

/** A command of the tree, with the options that several have. */
export class DetentCommand extends Command {
  readonly #line: CommandLine | null;

  /** @param line null for a tree that is only read */
  constructor(name?: string, line: CommandLine | null = null) {
    super(name);
    this.#line = line;
  }

  override createCommand(name?: string): DetentCommand {
    return new DetentCommand(name, this.#line);
  }

  /** Has the function that `load` imports perform the command, when it is called. */
  performedBy(load: () => Promise<Perform>): this {
    const line = this.#line;
    if (!line) return this;
    return this.action(async () => {
      const perform = await load();
      line.code = await perform(this.args, flagsOf(this), line.io);
    });
  }

  /** Adds the options of every command with a workspace. */
  placeOptions(): this {
    return this.optionsGroup('Place:')
      .option('--workspace <DIR>', 'where files, configuration and database are (default: here)')
      .option('--db <FILE>', 'the database (default: DIR/.detent/detent.db)')
      .option(...trustOption);
  }

  /** Like {@link placeOptions}, for commands whose --workspace is that of a tenant. */
  tenantPlaceOptions(): this {
    return this.optionsGroup('Place:')
      .option('--in <DIR>', 'where configuration and database are (default: here)')
      .option('--db <FILE>', 'the database (default: DIR/.detent/detent.db)')
      .option(...trustOption);
  }

  /** Adds the options that have a gateway perform the command. */
  serverOptions(): this {
    return this.optionsGroup('Gateway:')
      .option('--server <URL>', 'let the gateway at this address perform the command')
      .option('--token-env <NAME>', 'the variable that holds its token (default: DETENT_TOKEN)');
  }

  /** Adds the options of commands that work on a database, their own or that of a gateway. */
  servedPlaceOptions(): this {
    return this.placeOptions().serverOptions();
  }

  /** Adds --tenant, for a command on runs that there are. */
  tenantOption(): this {
    return this.option('--tenant <NAME>', 'name or id of the tenant whose runs are meant (default: 1)');
  }

  /** Adds the options of commands that need the workspace but not its database. */
  memoryPlaceOptions(): this {
    return this.optionsGroup('Place:')
      .option('--workspace <DIR>', 'where MEMORY.md, memory/ and the configuration are (default: here)')
      .option(...trustOption);
  }

  /** Adds the options that name the address of a run's model again: the one in the database counts only then. */
  addressOptions(): this {
    return this.optionsGroup('Model:')
      .option(baseUrlOption[0], "the address of the run's model, where no configuration names it")
      .addOption(apiOption())
      .option(...apiKeyOption);
  }

  /** Adds --continue, for a command that can go on with the newest conversation. */
  continueOption(): this {
    return this.optionsGroup('Conversation:').option(
      '--continue',
      'continue the newest conversation of this workspace',
    );
  }

  /** Adds the options that configure a run. */
  runOptions(): this {
    return this.optionsGroup('Conversation:')
      .option('--session <K>', 'continue the conversation K, with its agent and model (default: a new one)')
      .option(
        '--agent <NAME>',
        'an agent of the configuration (default: that of the session, else "default")',
      )
      .option('--system <TEXT|@FILE>', 'the system prompt')
      .optionsGroup('Model:')
      .option(
        '--model <PROVIDER/MODEL>',
        'default: DETENT_MODEL, or the model of the session, the agent or the configuration, or of the first key found, or demo/demo; script/FILE replays the answers of a JSON file',
      )
      .option(...baseUrlOption)
      .addOption(apiOption())
      .option(...apiKeyOption)
      .option('--no-cache', 'call the model even if the cache has an answer')
      .option('--no-stream', 'do not stream: print each answer when it is complete')
      .optionsGroup('Tools:')
      .option('--tools <a,b>', 'use only these tools; @NAME stands for a set')
      .option('--skills <a,b>', 'use only these skills; "" for none')
      .addOption(approveOption('ask a person (default)'))
      .optionsGroup('Limits:')
      .option('--max-steps <N>', 'answers of the model')
      .option('--max-tokens <N>', 'tokens in and out')
      .option('--max-cost <USD>', 'US dollars; needs the price of the model')
      .option('--budget <NAME>', 'the shared budget NAME of the configuration, besides these limits')
      .option('--max-retries <N>', 'how often to retry a failed model call')
      .option('--timeout <TIME>', 'working time: 90s, 5m, 2h');
  }

  /** Adds the options that narrow a list of runs or sessions. */
  listOptions(): this {
    return this.option('--status <a,b>', `only those with a status: ${runStatuses.join(', ')}`)
      .option('--since <TIME>', 'only those active within this time (2h, 3d), or since a day or time')
      .option('--limit <N>', 'at most this many (default: 100)');
  }

  /** Adds the options for the output of a run. */
  outputOptions(): this {
    return this.optionsGroup('Output:')
      .option('--json', 'one JSON object with the whole run, at the end; or {"error":…}')
      .option('--jsonl', 'the events of the run, one object per line')
      .option('--deltas', 'with --jsonl: also the pieces of answers as they come')
      .option('--quiet', 'no progress on stderr; a pipe or file gets complete answers only');
  }

  /** Adds --json, for a command that only reads. */
  jsonOption(): this {
    return this.optionsGroup('Output:').option('--json', 'JSON, for programs; {"error":{…}} when it fails');
  }

  /** Adds examples below the help of a command. */
  examples(...lines: string[]): this {
    return this.addHelpText('after', `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}`);
  }

  /** Adds what only some commands of one file have. */
  with(add: (command: this) => this): this {
    return add(this);
  }
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
