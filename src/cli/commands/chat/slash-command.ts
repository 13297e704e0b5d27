import { nearestName } from '../../../text/wording.ts';

/** The commands of a chat, and what they do, for `/help`. */
const commands = {
  help: { takes: '', does: 'this list' },
  model: { takes: '[PROVIDER/MODEL]', does: 'show the model, or switch to another one' },
  agent: { takes: '[NAME]', does: 'show the agent, or switch to another one' },
  session: { takes: '[KEY|new]', does: 'show the session, switch to another, or start a new one' },
  attach: { takes: '[FILE|-]', does: 'attach a file to the next message; - drops all attached files' },
  clear: { takes: '', does: 'start the conversation again; the log keeps its messages' },
  compact: { takes: '', does: 'replace the older messages with a summary' },
  resume: { takes: '', does: 'resume unfinished runs here, or repeat the questions that you put off' },
  cancel: { takes: '', does: 'cancel the current run, or the one that waits for a decision' },
  why: { takes: '', does: 'explain why the last run ended or waits' },
  usage: { takes: '', does: 'tokens and cost of this session' },
  tools: { takes: '', does: 'the tools that runs may use' },
  skills: { takes: '', does: 'the skills that you can use' },
  memory: { takes: '[WORDS]', does: 'search the memory' },
  quit: { takes: '', does: 'leave; you can resume an unfinished run later' },
} as const;

export type CommandName = keyof typeof commands;

export const commandNames = Object.keys(commands) as CommandName[];

/** A line of input: a message for the model, a command, or an unknown command. */
export type Input =
  | { kind: 'message'; text: string }
  | { kind: 'command'; name: CommandName; argument: string }
  | { kind: 'unknown'; name: string; nearest: string | null };

const aliases: Readonly<Record<string, CommandName>> = { exit: 'quit', bye: 'quit', stop: 'cancel' };

/**
 * Parses a line of input. A command is one line that begins with a slash and a word. A path (`/etc/hosts`) is a message,
 * and `//word` sends `/word` to the model.
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

/** Completions of the start of a line: commands and skills. */
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
    'A line that ends in \\ continues on the next line. //text sends /text to the model.',
    '/SKILL followed by text uses a skill; "detent skills list" lists the skills.',
    'A message that you send while a run is in progress goes to that run, which reads it before its next step.',
  ].join('\n');
}

/** The message for an unknown command. */
export function unknownCommand({ name, nearest }: { name: string; nearest: string | null }): string {
  const hint = nearest === null ? '/help lists all' : `did you mean /${nearest}?`;
  return `there is no command /${name}; ${hint} (//${name} sends it to the model)`;
}

function isCommand(name: string): name is CommandName {
  return Object.hasOwn(commands, name);
}
