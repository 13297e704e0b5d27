import type { Argument, Command, Option } from 'commander';

/** Kinds of candidates that the database or the configuration has. */
export type AskedKind = 'runs' | 'calls' | 'sessions' | 'agents' | 'models' | 'skills';

/** What a place accepts: one of a few words, a file or folder, a candidate of the program, or any text. */
export type Value =
  | { kind: 'choices'; choices: readonly string[] }
  | { kind: 'files' | 'folders' | AskedKind | 'anything' };

interface OptionNode {
  /** `--help`, and `-h` behind it where there is one. */
  names: readonly string[];
  about: string;
  /** The kind of its value; null for a switch. */
  value: Value | null;
}

export interface CommandNode {
  /** The words after the program's name; empty for the program itself. */
  path: readonly string[];
  about: string;
  commands: readonly CommandNode[];
  options: readonly OptionNode[];
  arguments: readonly Value[];
}

const help: OptionNode = { names: ['--help', '-h'], about: 'display help for command', value: null };

/** Builds the completion tree from the commands. */
export function completionTree(program: Command): CommandNode {
  const root = nodeOf(program, []);
  const choices = root.commands.map(({ path }) => path[0] ?? '');
  const explain: CommandNode = {
    path: ['help'],
    about: 'all flags of a command',
    commands: [],
    options: [],
    arguments: [{ kind: 'choices', choices }],
  };
  return { ...root, commands: [...root.commands, explain] };
}

/** Every node, the root first. */
export function allNodes(node: CommandNode): CommandNode[] {
  return [node, ...node.commands.flatMap(allNodes)];
}

function nodeOf(command: Command, path: readonly string[]): CommandNode {
  return {
    path,
    about: command.summary() || command.description(),
    commands: command.commands.map((child) => nodeOf(child, [...path, child.name()])),
    options: [...command.options.filter(({ hidden }) => !hidden).map(optionOf), help],
    arguments: command.registeredArguments.flatMap(argumentValues),
  };
}

function optionOf(option: Option): OptionNode {
  const { long, short, description, flags } = option;
  const names = [long, short].filter((name) => name !== undefined && name !== null);
  const placeholder = /[<[]([^>\]]*)[>\]]/.exec(flags)?.[1];
  const value = placeholder === undefined ? null : optionValue(option, placeholder);
  return { names, about: description, value };
}

/** What NAME means depends on the command. */
function optionValue({ long, argChoices }: Option, placeholder: string): Value {
  return long === '--agent' ? { kind: 'agents' } : placeholderValue(placeholder, argChoices);
}

/** Repeats a variadic argument a few times, because shells count places. */
function argumentValues(argument: Argument): Value[] {
  const value = placeholderValue(argument.name(), argument.argChoices);
  return argument.variadic ? Array<Value>(9).fill(value) : [value];
}

/** The kind of a value, by its name in capitals in the help. */
function placeholderValue(placeholder: string, choices: readonly string[] | undefined): Value {
  if (choices) return { kind: 'choices', choices };
  const name = placeholder.replace(/[<>[\]]/g, '').replace(/\.{3}$/, '');
  if (/(^|_)DIR$/.test(name)) return { kind: 'folders' };
  if (/(^|[@_|])FILE$/.test(name)) return { kind: 'files' };
  // The two runs of "runs diff A B".
  if (/^(RUN|A|B)$/.test(name)) return { kind: 'runs' };
  if (name === 'CALL') return { kind: 'calls' };
  if (name === 'PROVIDER/MODEL') return { kind: 'models' };
  if (name === 'SKILL') return { kind: 'skills' };
  return { kind: /^(K|KEY|SESSION)$/.test(name) ? 'sessions' : 'anything' };
}
