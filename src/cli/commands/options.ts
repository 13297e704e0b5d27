import { type Command, Option } from 'commander';
import { approvals, modelApis, runStatuses } from '../../protocol/enums.ts';

const trustOption = ['--trust', 'trust the files of the folder for this command only'] as const;

/** Adds the options of every command with a workspace. */
export function placeOptions(command: Command): Command {
  return command
    .optionsGroup('Place:')
    .option('--workspace <DIR>', 'where files, configuration and database are (default: here)')
    .option('--db <FILE>', 'the database (default: DIR/.detent/detent.db)')
    .option(...trustOption);
}

/** Like {@link placeOptions}, for commands whose --workspace is that of a tenant. */
export function tenantPlaceOptions(command: Command): Command {
  return command
    .optionsGroup('Place:')
    .option('--in <DIR>', 'where configuration and database are (default: here)')
    .option('--db <FILE>', 'the database (default: DIR/.detent/detent.db)')
    .option(...trustOption);
}

/** Adds the options that have a gateway perform the command. */
export function serverOptions(command: Command): Command {
  return command
    .optionsGroup('Gateway:')
    .option('--server <URL>', 'let the gateway at this address perform the command')
    .option('--token-env <NAME>', 'the variable that holds its token (default: DETENT_TOKEN)');
}

/** Adds the options of commands that work on a database, their own or that of a gateway. */
export function servedPlaceOptions(command: Command): Command {
  return serverOptions(placeOptions(command));
}

/** Adds --tenant, for a command on runs that there are. */
export function tenantOption(command: Command): Command {
  return command.option('--tenant <NAME>', 'name or id of the tenant whose runs are meant (default: 1)');
}

/** Adds the options of commands that need the workspace but not its database. */
export function memoryPlaceOptions(command: Command): Command {
  return command
    .optionsGroup('Place:')
    .option('--workspace <DIR>', 'where MEMORY.md, memory/ and the configuration are (default: here)')
    .option(...trustOption);
}

const baseUrlOption = [
  '--base-url <URL>',
  'any server that speaks the protocol; PROVIDER may then be any word',
] as const;
const apiKeyOption = ['--api-key-env <NAME>', 'the variable that holds the key'] as const;

function apiOption(): Option {
  const about = 'chat (default), responses (both of OpenAI) or messages (Anthropic)';
  return new Option('--api <PROTOCOL>', about).choices(modelApis);
}

/** Adds the options that name the address of a run's model again: the one in the database counts only then. */
export function addressOptions(command: Command): Command {
  return command
    .optionsGroup('Model:')
    .option(baseUrlOption[0], "the address of the run's model, where no configuration names it")
    .addOption(apiOption())
    .option(...apiKeyOption);
}

/** Adds --continue, for a command that can go on with the newest conversation. */
export function continueOption(command: Command): Command {
  return command
    .optionsGroup('Conversation:')
    .option('--continue', 'continue the newest conversation of this workspace');
}

/** Adds the options that configure a run. */
export function runOptions(command: Command): Command {
  return command
    .optionsGroup('Conversation:')
    .option('--session <K>', 'continue the conversation K, with its agent and model (default: a new one)')
    .option('--agent <NAME>', 'an agent of the configuration (default: that of the session, else "default")')
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
export function listOptions(command: Command): Command {
  return command
    .option('--status <a,b>', `only those with a status: ${runStatuses.join(', ')}`)
    .option('--since <TIME>', 'only those active within this time (2h, 3d), or since a day or time')
    .option('--limit <N>', 'at most this many (default: 100)');
}

/** Adds the options for the output of a run. */
export function outputOptions(command: Command): Command {
  return command
    .optionsGroup('Output:')
    .option('--json', 'one JSON object with the whole run, at the end; or {"error":…}')
    .option('--jsonl', 'the events of the run, one object per line')
    .option('--deltas', 'with --jsonl: also the pieces of answers as they come')
    .option('--quiet', 'no progress on stderr; a pipe or file gets complete answers only');
}

/** Adds --json, for a command that only reads. */
export function jsonOption(command: Command): Command {
  return command.optionsGroup('Output:').option('--json', 'JSON, for programs; {"error":{…}} when it fails');
}

/** Adds examples below the help of a command. */
export function examples(command: Command, ...lines: string[]): Command {
  return command.addHelpText('after', `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}`);
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
