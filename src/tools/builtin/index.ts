import { createEmbeddedBus } from '../../engine/bus.ts';
import type { Tool } from '../../protocol/tool.ts';
import { type FileRules, noFileRules } from '../files/file-rules.ts';
import type { EgressConfig } from '../http/egress.ts';
import { BackgroundJobs } from '../sandbox/background-jobs.ts';
import { unavailableSandbox } from '../sandbox/unavailable.ts';
import { askUserTool } from './ask-user.ts';
import { calculatorTool } from './calculator.ts';
import { datetimeTool } from './datetime.ts';
import { editFileTool } from './edit-file.ts';
import { grepTool } from './grep.ts';
import { httpGetTool } from './http-get.ts';
import { listFilesTool } from './list-files.ts';
import { readFileTool } from './read-file.ts';
import { type ShellOptions, shellTool } from './shell.ts';
import { shellKillTool } from './shell-kill.ts';
import { shellOutputTool } from './shell-output.ts';
import { taskTool } from './task.ts';
import { todoTool } from './todo.ts';
import { unitConvertTool } from './unit-convert.ts';
import { writeFileTool } from './write-file.ts';

interface BuiltinToolOptions {
  /** Which files the tools may not use, and which they write only with a person's approval. */
  files?: FileRules;
  /** Epoch milliseconds; default `Date.now`. */
  now?: () => number;
  /** The sandbox and jobs of the shell; without them the shell refuses every command. */
  shell?: ShellOptions;
  /** Where `http_get` may go besides the public internet, and where not. */
  egress?: EgressConfig | undefined;
  /** Names of the agents that can take a task. */
  agents?: readonly string[];
}

function noShell(): ShellOptions {
  const sandbox = unavailableSandbox('none was given');
  return { sandbox, jobs: new BackgroundJobs(createEmbeddedBus()) };
}

/**
 * The built-in tools. Import this module dynamically, when an agent is opened.
 *
 * @throws DetentError `INVALID_CONFIG` for an entry of `egress` that cannot be read.
 *
 * @example
 * ```ts
 * const { builtinTools } = await import('./tools/builtin/index.ts');
 * const toolbox = createToolbox({ tools: builtinTools(), allowed: null });
 * ```
 */
export function builtinTools({
  files = noFileRules,
  now = Date.now,
  shell = noShell(),
  egress,
  agents,
}: BuiltinToolOptions = {}): Tool[] {
  return [
    readFileTool(files),
    writeFileTool(files),
    editFileTool(files),
    listFilesTool(files),
    grepTool(files),
    httpGetTool(egress && { egress }),
    datetimeTool(now),
    calculatorTool(),
    unitConvertTool(),
    shellTool(shell, files),
    shellOutputTool(shell.jobs, files),
    shellKillTool(shell.jobs),
    askUserTool(),
    todoTool(),
    taskTool(agents),
  ];
}
