import { nearestName } from '../../../text/nearest-name.ts';

/** The commands of a chat, and what they do, for `/help`. */
export const commands = {
  help: { takes: '', does: 'this list' },
  model: { takes: '[PROVIDER/MODEL]', does: 'show the model, or use another one from now on' },
  session: { takes: '[KEY|new]', does: 'show the session, go to another one, or begin one' },
  attach: { takes: '[FILE|-]', does: 'send a file with the next message; - drops what would go' },
  cancel: { takes: '', does: 'stop the answer, or give up what waits for a decision' },
  why: { takes: '', does: 'explain the last run: how it came to where it is' },
  usage: { takes: '', does: 'tokens and cost of this session' },
  quit: { takes: '', does: 'leave; what is unfinished can be carried on later' },
} as const;

export type CommandName = keyof typeof commands;

export const commandNames = Object.keys(commands) as CommandName[];

/** What a person has said: words for the model, a command, or a command that there is not. */
export type Input =
  | { kind: 'message'; text: string }
  | { kind: 'command'; name: CommandName; argument: string }
  | { kind: 'unknown'; name: string; nearest: string | null };

const aliases: Readonly<Record<string, CommandName>> = { exit: 'quit', bye: 'quit', stop: 'cancel' };

/**
 * Reads what was typed. A command is one line that begins with a slash and a word; a path (`/etc/hosts`) is none, and
 * `//word` says `/word` to the model.
 */
export function readInput(text: string): Input {
  if (text.startsWith('//')) return { kind: 'message', text: text.slice(1) };
  const match = /^\/([\w-]*)(?:[ \t]+([^\n]*))?$/.exec(text.trimEnd());
  if (!match) return { kind: 'message', text };
  const [, word = '', argument = ''] = match;
  const name = aliases[word] ?? word;
  if (isCommand(name)) return { kind: 'command', name, argument: argument.trim() };
  return {
    kind: 'unknown',
    name: word,
    nearest: nearestName(word, [...commandNames, ...Object.keys(aliases)]),
  };
}

/** The commands, and the skills of these names, that a beginning of a line may become. */
export function completions(line: string, skills: readonly string[] = []): string[] {
  if (!/^\/[^\s/]*$/.test(line)) return [];
  const fitting = commandNames.filter((name) => `/${name}`.startsWith(line));
  const fittingSkills = skills.filter((name) => `/${name}`.startsWith(line) && !isCommand(name));
  return [
    ...fitting.map((name) => (commands[name].takes === '' ? `/${name}` : `/${name} `)),
    ...fittingSkills.map((name) => `/${name} `),
  ];
}

/** All commands, a line each. */
export function help(): string {
  const terms = commandNames.map((name) => `/${name} ${commands[name].takes}`.trim());
  const width = Math.max(...terms.map((term) => term.length));
  const lines = commandNames.map((name, i) => `  ${terms[i]?.padEnd(width)}  ${commands[name].does}`);
  return [
    ...lines,
    '',
    'A line that ends in \\ goes on in the next. //text says /text to the model.',
    '/SKILL, with words behind it, uses a skill; "detent skills list" names them.',
    'What you type while an answer comes goes to it: it hears that before its next step.',
  ].join('\n');
}

/** What to say of a command that there is not. */
export function unknownCommand({ name, nearest }: { name: string; nearest: string | null }): string {
  const hint = nearest === null ? '/help lists all' : `did you mean /${nearest}?`;
  return `there is no command /${name}; ${hint} (//${name} says it to the model)`;
}

function isCommand(name: string): name is CommandName {
  return Object.hasOwn(commands, name);
}
