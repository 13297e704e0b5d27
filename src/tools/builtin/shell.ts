import { realpath } from 'node:fs/promises';
import { relative, sep } from 'node:path';
import { defineTool, ownArguments, type Tool, type ToolContext, ToolFailure } from '../../protocol/tool.ts';
import { findDatabase, findGuarded } from '../files/confined-files.ts';
import { type FileRules, noFileRules, performWriting } from '../files/file-rules.ts';
import { executorOf } from '../files/guarded-paths.ts';
import { noteCommand } from '../files/note-reading.ts';
import { printablePath } from '../files/walk-folder.ts';
import { noWorkspace } from '../files/workspace-path.ts';
import type { BackgroundJob, BackgroundJobs } from '../sandbox/background-jobs.ts';
import { CommandOutput } from '../sandbox/output.ts';
import type { CommandJob, Sandbox } from '../sandbox/sandbox.ts';
import { endInWords, shellText } from './shell-text.ts';

export interface ShellOptions {
  sandbox: Sandbox;
  jobs: BackgroundJobs;
  /** Folders besides the workspace that the commands of a tenant may read, those of its skills; absolute paths. */
  readable?(tenant: number): readonly string[];
}

/** The shell tools; without a sandbox runs may not use them. */
export const shellTools: readonly string[] = ['shell', 'shell_output', 'shell_kill'];

const defaultMs = 120_000;
const maxMs = 600_000;
const maxBackgroundMs = 3_600_000;
/** The kernel accepts arguments of at most 128 KB. */
const maxCommandBytes = 100_000;
/** Guarded files that a result names. */
const maxNamed = 5;

const parameters = ownArguments(
  { command: { type: 'string', minLength: 1, description: 'The command, as for bash -c' } },
  {
    background: { type: 'boolean', description: 'Leave it running and answer at once; default false' },
    timeoutMs: {
      type: 'integer',
      minimum: 1,
      maximum: maxBackgroundMs,
      description: `Milliseconds until it is ended; default ${defaultMs}, at most ${maxMs}; in the background ${maxBackgroundMs}`,
    },
  },
);

/** `shell`: runs a command in the workspace, and waits for it or runs it in the background. */
export function shellTool(
  { sandbox, jobs, readable: readableBy = () => [] }: ShellOptions,
  rules: FileRules = noFileRules,
): Tool {
  const { guarded } = rules;
  return defineTool({
    name: 'shell',
    description:
      `Runs a bash command in the workspace and returns what it prints, lines of stderr marked, and its exit code. ` +
      `${sandbox.reach} Nobody can type into it. Each call is a new shell. With background it answers at once with an id ` +
      `for shell_output and shell_kill; what is in the background ends with this run.`,
    parameters,
    sideEffect: 'unsafe',
    // The sandbox keeps a command that no person approved from changing guarded files.
    writes: () => 'anything',
    // Later than the sandbox's own timeout, whose result has the output so far.
    timeoutMs: maxMs + 30_000,
    async run({ command, background = false, timeoutMs }, ctx) {
      checkCommand(command);
      const { workspace } = ctx;
      if (workspace === null) throw noWorkspace();
      const confined: Partial<ConfinedFiles> =
        sandbox.kind === 'bubblewrap'
          ? await confinedFiles(workspace, ctx.mayWriteGuarded === true, rules)
          : {};
      const readable = readableBy(ctx.principal.tenantId);
      const bounded = { command, workspace, hidden: [], ...confined, readable };
      if (background) {
        const job = { ...bounded, timeoutMs: timeoutMs ?? maxBackgroundMs };
        const { id } = await inBackground(() => jobs.start(sandbox, ctx, job), rules);
        return `Started in the background as ${id}. Read what it prints with shell_output, end it with shell_kill.`;
      }
      const job = { ...bounded, timeoutMs: Math.min(timeoutMs ?? defaultMs, maxMs) };
      const { mayWriteGuarded } = ctx;
      const warning = async () =>
        mayWriteGuarded || confined.fixed === undefined
          ? null
          : madeGuarded(workspace, guarded, confined.fixed);
      return inForeground(sandbox, ctx, job, { warning, note: (text) => noteCommand(rules, ctx, text) });
    },
  });
}

interface ConfinedFiles {
  hidden: string[];
  fixed: string[];
}

/** What a command must not open, and what it must not change without a person's approval. */
async function confinedFiles(
  workspace: string,
  mayWriteGuarded: boolean,
  { database, guarded }: FileRules,
): Promise<ConfinedFiles> {
  const root = await realpath(workspace);
  return {
    hidden: await findDatabase(root, database),
    fixed: mayWriteGuarded ? [] : await findGuarded(root, guarded),
  };
}

/**
 * Says which guarded files a command has made that no person approved. The sandbox cannot keep it from making one: to mount
 * something at a path that does not exist, the path is made in the workspace. Null when it made none.
 */
async function madeGuarded(
  workspace: string,
  guarded: readonly string[],
  before: readonly string[],
): Promise<string | null> {
  const root = await realpath(workspace).catch(() => workspace);
  const made = (await findGuarded(root, guarded)).filter((path) => !before.includes(path));
  if (made.length === 0) return null;
  const names = made.slice(0, maxNamed).map((path) => {
    const segments = relative(root, path).split(sep);
    return `${printablePath(segments)} (by which ${executorOf(segments) ?? 'Detent'} can be made to execute something)`;
  });
  const more = made.length > maxNamed ? ` and ${made.length - maxNamed} more` : '';
  return `no person approved that it made ${names.join(', ')}${more}`;
}

/** Until the command ends, it may write. */
function inBackground(start: () => Promise<BackgroundJob>, rules: FileRules): Promise<BackgroundJob> {
  return new Promise((resolve, reject) => {
    performWriting(rules, async () => {
      const job = await start();
      resolve(job);
      await job.running.ended;
    }).catch(reject);
  });
}

async function inForeground(
  sandbox: Sandbox,
  { signal }: Pick<ToolContext, 'signal'>,
  job: Pick<CommandJob, 'command' | 'workspace' | 'hidden' | 'fixed' | 'readable' | 'timeoutMs'>,
  { warning, note: noted }: { warning(): Promise<string | null>; note(text: string): Promise<void> },
): Promise<string> {
  const output = new CommandOutput();
  const running = await sandbox.start({
    ...job,
    signal,
    onOutput: (stream, bytes) => output.write(stream, bytes),
  });
  const end = await running.ended;
  output.end();
  const warned = await warning();
  const note = warned === null ? endInWords(end) : `${endInWords(end)}; ${warned}`;
  const text = shellText(output.take(), note);
  await noted(text);
  if (end.how === 'timedOut') throw new ToolFailure('TIMEOUT', text);
  if (end.how === 'killed') throw new ToolFailure('ABORTED', text);
  if (end.code !== 0) throw new ToolFailure('COMMAND_FAILED', text);
  return text;
}

function checkCommand(command: string): void {
  if (command.includes('\0'))
    throw new ToolFailure('INVALID_ARGUMENTS', 'the command contains a NUL character, which no command can');
  if (Buffer.byteLength(command) > maxCommandBytes)
    throw new ToolFailure(
      'INVALID_ARGUMENTS',
      `the command is longer than ${maxCommandBytes / 1000} KB; write it to a file with write_file and run that`,
    );
}
