import { type Sentence, withValues } from './fill.ts';
import { readBack } from './read-back.ts';

/** What is wrong with the sandbox of this machine, and what to do. */
const sandboxProblems = {
  sandbox_not_linux: [
    'bubblewrap is for Linux, and this is {platform}',
    "run Detent in a Linux container or virtual machine, or set sandbox: 'none'",
  ],
  sandbox_not_installed: [
    'bubblewrap is not installed',
    'install it: apt-get install bubblewrap, dnf install bubblewrap or apk add bubblewrap',
  ],
  sandbox_broken: [
    '{program} does not work: {said}',
    'it must be 0.8 or newer and may make user namespaces; see docs/sandbox.md',
  ],
} as const;

type SandboxProblem = keyof typeof sandboxProblems;

/** What is wrong, and what to do. @param params the values that the text names */
export function sandboxProblem(
  code: SandboxProblem,
  params: Readonly<Record<string, string>> = {},
): { reason: string; remedy: string } {
  const [reason, remedy] = sandboxProblems[code];
  return { reason: withValues(reason, params), remedy };
}

function whole<Code extends SandboxProblem>(code: Code): string {
  return sandboxProblems[code].join('; ');
}

/** Why no run may use a tool, besides the rules of the configuration. */
export const offReasons = {
  no_scheduler: 'this process runs no schedule; "detent serve" does',
  tool_changed:
    'MCP server "{server}" has changed the description or the parameters of its tool "{tool}" since they were first used; a person has to look at it and accept it: {command}',
  mcp_task_only: 'it can only be called as a task, which Detent does not do',
  schema_too_large: 'the schema of its parameters has more than {max} characters',
  mcp_not_shared: 'MCP servers serve the first tenant only',
  no_workspace: 'this run is for a tenant that has no workspace, so there are no files',
  no_sandbox_for_tenant: 'commands of this tenant run in a sandbox only, and there is none',
  sandbox_not_linux: /* @__PURE__ */ whole('sandbox_not_linux'),
  sandbox_not_installed: /* @__PURE__ */ whole('sandbox_not_installed'),
  sandbox_broken: /* @__PURE__ */ whole('sandbox_broken'),
} as const;

/** Why a tool is off, in English. @param params the values that the sentence names */
export function offText(
  code: keyof typeof offReasons,
  params: Readonly<Record<string, string | number>> = {},
): string {
  return withValues(offReasons[code], params);
}

const readOff = /* @__PURE__ */ readBack(
  () => offReasons,
  { max: '\\d+' },
  (_, value) => value,
);

/** Which reason a text gives, with or without the code before it: `NO_SCHEDULER: …`; null for words of anyone else. */
export function offReasonOf(text: string): Sentence | null {
  return readOff(text.replace(/^[A-Z_]+: /, ''));
}
