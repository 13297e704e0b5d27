import { type Command, CommanderError } from 'commander';
import { DetentError } from '../protocol/error.ts';
import { nearestName } from '../text/wording.ts';
import { type CommandLine, DetentCommand } from './commands/command.ts';
import { usage } from './settings/flags.ts';
import { exit } from './terminal/exit-codes.ts';
import type { Io } from './terminal/io.ts';

const widest = 100;

/** The commands of a first week: the help lists these, and with `--all` all others. */
const firstWeek = [
  'init',
  'run',
  'chat',
  'serve',
  'workflow start',
  'runs list',
  'runs why',
  'runs confirm',
  'runs resume',
  'doctor',
];

const more = `
These are the commands of a first week; "detent --help --all" lists all of them.
`;

const conventions = `
Without a key or --model, the built-in demo answers. Keys come from the environment (OPENAI_API_KEY, …).

Exit codes: 0 completed, 1 failed, 2 usage, 3 configuration, key or trust, 4 not found, 5 waiting for a person,
6 database locked or unusable, 124 deadline, 130 cancelled.`;

interface ProgramOptions {
  /** Null for callers that only read the command tree (docs, completion): its commands do nothing. */
  line?: CommandLine | null;
  /** Receives the help text. */
  out(text: string): void;
  /** Width of the terminal; undefined without one. */
  columns?: number | undefined;
  /** The first word of the command line: if it names commands, only they are defined. */
  noun?: string | undefined;
  /** Whether the help lists every command. */
  isWhole?: boolean;
}

type Define = (program: DetentCommand) => void;

/** What defines the commands of each first word, in the order of the help; loaded when that word is typed. */
const nouns: Readonly<Record<string, () => Promise<Define>>> = {
  run: async () => (await import('./commands/run/define.ts')).defineRun,
  chat: async () => (await import('./commands/chat/define.ts')).defineChat,
  runs: async () => (await import('./commands/runs/define.ts')).defineRuns,
  inspect: async () => (await import('./commands/inspect/define.ts')).defineInspect,
  sessions: async () => (await import('./commands/sessions/define.ts')).defineSessions,
  serve: async () => (await import('./commands/serve/define.ts')).defineServe,
  workflow: async () => (await import('./commands/workflow/define.ts')).defineWorkflow,
  cron: async () => (await import('./commands/cron/define.ts')).defineCron,
  usage: async () => (await import('./commands/usage.ts')).defineUsage,
  backup: async () => (await import('./commands/backup.ts')).defineBackup,
  restore: async () => (await import('./commands/backup.ts')).defineRestore,
  db: async () => (await import('./commands/db/define.ts')).defineDb,
  init: async () => (await import('./commands/init/define.ts')).defineInit,
  doctor: async () => (await import('./commands/doctor/define.ts')).defineDoctor,
  trust: async () => (await import('./commands/trust.ts')).defineTrust,
  config: async () => (await import('./commands/config/define.ts')).defineConfig,
  models: async () => (await import('./commands/models/define.ts')).defineModels,
  tools: async () => (await import('./commands/tools.ts')).defineTools,
  tenant: async () => (await import('./commands/tenant.ts')).defineTenant,
  mcp: async () => (await import('./commands/mcp/define.ts')).defineMcp,
  skills: async () => (await import('./commands/skills/define.ts')).defineSkills,
  memory: async () => (await import('./commands/memory/define.ts')).defineMemory,
  shop: async () => (await import('./commands/shop.ts')).defineShop,
  machine: async () => (await import('./commands/machine/define.ts')).defineMachine,
  token: async () => (await import('./commands/token.ts')).defineToken,
  users: async () => (await import('./commands/users.ts')).defineUsers,
  completion: async () => (await import('./commands/completion/define.ts')).defineCompletion,
};

function definedFor(noun: string | undefined): readonly string[] {
  return noun !== undefined && Object.hasOwn(nouns, noun) ? [noun] : Object.keys(nouns);
}

const forReaders: ProgramOptions = { out: () => {}, isWhole: true };

/** The command line as a tree. */
export async function createProgram({
  line = null,
  out,
  columns,
  noun,
  isWhole = false,
}: ProgramOptions = forReaders): Promise<Command> {
  const program = new DetentCommand('detent', line)
    .description('Runs LLM agents as durable statecharts: kill it at any instant, resume it later.')
    .usage('COMMAND [options]')
    .helpCommand('help [COMMAND]', 'all flags of a command')
    .exitOverride()
    .configureOutput({
      writeOut: out,
      // Commander throws as well; `runCli` prints the error once.
      writeErr: () => {},
      getOutHelpWidth: () => Math.min(columns ?? widest, widest),
    })
    .option('-v, --version', 'print the version')
    .configureHelp({
      visibleCommands: (command) => (command.parent || isWhole ? leaves(command) : ofFirstWeek(command)),
      subcommandTerm: term,
      subcommandDescription: (command) => command.summary(),
      // The descriptions list the choices already.
      optionDescription: (option) => option.description,
    })
    .addHelpText('after', isWhole ? conventions : more + conventions);
  const defines = await Promise.all(definedFor(noun).map((name) => nouns[name]?.()));
  for (const define of defines) define?.(program);
  return program;
}

/**
 * Performs the command line; returns the exit code.
 *
 * @throws DetentError `USAGE`, and whatever the command throws.
 */
export async function perform(args: readonly string[], io: Io): Promise<number> {
  // Only completion scripts call this, with half-typed words; no help lists it.
  if (args[0] === '__complete') return complete(args.slice(1), io);
  const line = { io, code: exit.ok };
  const program = await createProgram({
    line,
    out: io.out,
    columns: io.stdout.columns,
    noun: args[0],
    isWhole: args.includes('--all'),
  });
  if (args.every((word) => isHelp.has(word))) program.outputHelp();
  else
    try {
      await program.parseAsync(args, { from: 'user' });
    } catch (error) {
      if (error instanceof CommanderError && error.exitCode === 0) return line.code;
      const thrown = error instanceof CommanderError ? usage(explain(error, program, args)) : error;
      throw DetentError.is(thrown) && thrown.code === 'USAGE' ? withHelp(thrown, program, args) : thrown;
    }
  return line.code;
}

/** @param words of the line up to the cursor, the last maybe half typed. */
async function complete(words: readonly string[], io: Io): Promise<number> {
  const { completeCommand } = await import('./commands/completion/complete-command.ts');
  const noun = words.length > 1 ? words[0] : undefined;
  return completeCommand(await createProgram({ ...forReaders, noun }), words, io);
}

const isHelp = new Set(['--help', '-h', 'help', '--all']);

function ofFirstWeek(program: Command): Command[] {
  const commands = leaves(program);
  return firstWeek.flatMap((words) => commands.find((command) => path(command) === words) ?? []);
}

/** The commands without subcommands, at any depth. */
function leaves(command: Command): Command[] {
  return command.commands.flatMap((child) => (child.commands.length > 0 ? leaves(child) : [child]));
}

function term(command: Command): string {
  const words = command.registeredArguments.map((argument) => argument.name());
  return [path(command), ...words].join(' ');
}

/** The words of a command behind `detent`. */
function path(command: Command): string {
  const words: string[] = [];
  for (let at: Command | null = command; at?.parent; at = at.parent) words.unshift(at.name());
  return words.join(' ');
}

function explain({ code, message }: CommanderError, program: Command, args: readonly string[]): string {
  if (code === 'commander.help') return `"detent ${args[0]}" needs a subcommand: ${verbs(program, args[0])}`;
  const misspelt =
    code === 'commander.missingMandatoryOptionValue' ? unknownOptionIn(program, args) : undefined;
  const words =
    misspelt ??
    message
      .replace(/^error: /, '')
      .replace(/\.$/, '')
      .replaceAll('\n', ' ');
  if (code === 'commander.unknownCommand') return withPaths(words, program, args);
  const isUnknownOption = code === 'commander.unknownOption' || misspelt !== undefined;
  if (isUnknownOption && words.includes("'--server'"))
    return `"detent ${commandWords(program, args)}" works only in the folder of the gateway itself: type it there, without --server`;
  if (!isUnknownOption) return words;
  const meant = beginningWith(/^unknown option '-(\w)'/.exec(words)?.[1], program, args);
  return `${words}${meant} (put words that begin with "-" behind "--")`;
}

/** Commander looks for missing options before it looks at unknown ones, which may be the missing ones misspelt. */
function unknownOptionIn(program: Command, args: readonly string[]): string | undefined {
  const [group, verb] = namedCommands(program, args);
  const command = verb ?? group ?? program;
  const [option] = command.parseOptions(args.slice(verb ? 2 : 1)).unknown;
  if (option === undefined) return undefined;
  const names = command.options.flatMap(({ long }) => long ?? []);
  const meant = option.startsWith('--') ? nearestName(option, names) : null;
  return `unknown option '${option}'${meant === null ? '' : ` (Did you mean ${meant}?)`}`;
}

/** Detent has long options only, and Commander suggests nothing for one letter. */
function beginningWith(letter: string | undefined, program: Command, args: readonly string[]): string {
  if (letter === undefined) return '';
  const [group, verb] = namedCommands(program, args);
  const options = (verb ?? group ?? program).options.flatMap(({ long }) => long ?? []);
  const meant = options.filter((long) => long.startsWith(`--${letter.toLowerCase()}`)).sort();
  return meant.length === 0 ? '' : ` (Did you mean ${meant.length > 1 ? 'one of ' : ''}${meant.join(', ')}?)`;
}

function withHelp({ message, details }: DetentError, program: Command, args: readonly string[]): DetentError {
  const help = ['detent', commandWords(program, args), '--help'].filter(Boolean).join(' ');
  return new DetentError('USAGE', `${message}; see "${help}"`, { details });
}

/** The words of the command line that name a command. */
function commandWords(program: Command, args: readonly string[]): string {
  return namedCommands(program, args)
    .map((command) => command.name())
    .join(' ');
}

/** The group or command that the first word names, and the command of a group that the second one names. */
function namedCommands(program: Command, args: readonly string[]): Command[] {
  const group = program.commands.find((command) => command.name() === args[0]);
  const verb = group?.commands.find((command) => command.name() === args[1]);
  return [group, verb].filter((command) => command !== undefined);
}

function nearestTwo(word: string, { commands }: Command): string[] {
  const names = commands.map((command) => command.name());
  const first = nearestName(word, names);
  const second = nearestName(
    word,
    names.filter((name) => name !== first),
  );
  return [first, second].filter((name) => name !== null);
}

/** Commander suggests the last word of a command alone, which is no command at the top. */
function withPaths(words: string, program: Command, args: readonly string[]): string {
  const [said = words, suggested] = words.split(/ \(Did you mean (?:one of )?/);
  const names = suggested?.replace('?)', '').split(', ') ?? [];
  const group = program.commands.find((command) => command.name() === args[0]) ?? program;
  // Commander names no group of commands.
  const near = group === program ? nearestTwo(args[0] ?? '', program) : [];
  const ofLeaves = leaves(group)
    .filter((command) => names.includes(command.name()))
    .map(path);
  const paths = [...new Set([...near, ...ofLeaves])];
  if (paths.length === 0) return said;
  const quoted = paths.map((one) => `"detent ${one}"`);
  return `${said} (did you mean ${quoted.join(' or ')}?)`;
}

function verbs(program: Command, name: string | undefined): string {
  const group = program.commands.find((command) => command.name() === name);
  return group?.commands.map((command) => command.name()).join(', ') ?? '';
}
