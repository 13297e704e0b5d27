import * as z from 'zod/mini';
import { shown } from '../../protocol/json.ts';
import { invalidRequest } from './conversation.ts';

/** Tools that a client performs, as a request of either protocol brings them. */
export interface ClientTools {
  tools: { name: string; description?: string; parameters?: Record<string, unknown> }[];
  /** Whether the model may make one call of them at a time. */
  isOneAtATime: boolean;
}

const fields = {
  name: z.string().check(z.maxLength(64)),
  description: z.nullish(z.string().check(z.maxLength(100_000))),
  parameters: z.nullish(z.record(z.string(), z.unknown())),
  strict: z.nullish(z.boolean()),
};

type Tool = z.output<z.ZodMiniObject<typeof fields>>;

/** Only the kind is checked here, so that a tool of another kind is refused by its name. */
const someTool = z.looseObject({ type: z.string().check(z.maxLength(100)) });
const named = z.looseObject({ type: z.literal('function'), name: z.string() });

/** Fields of requests that are about tools. */
export const toolFields = {
  tools: z.nullish(z.array(someTool).check(z.maxLength(128))),
  tool_choice: z.nullish(z.union([z.string().check(z.maxLength(100)), someTool])),
  parallel_tool_calls: z.nullish(z.boolean()),
};

type Given = z.output<z.ZodMiniObject<typeof toolFields>>;

/** Of a chat completion: `{type: 'function', function: {name, …}}`. */
export function chatTools(given: Given): ClientTools {
  return toolsOf(given, ({ function: inner }) => inner);
}

/** Of a response: `{type: 'function', name, …}`. */
export function responseTools(given: Given): ClientTools {
  return toolsOf(given, ({ type: _, ...tool }) => tool);
}

/** @throws DetentError `INVALID_REQUEST` for tools that are not the client's own, and for a choice that is the agent's. */
function toolsOf(
  { tools, tool_choice: choice, parallel_tool_calls: mayBeParallel }: Given,
  inside: (tool: z.output<typeof someTool>) => unknown,
): ClientTools {
  const all = (tools ?? []).map((tool, i) => {
    if (tool.type !== 'function')
      throw invalidRequest(
        `a tool of type ${shown(tool.type)} is not accepted: a client can bring only functions`,
        `tools.${i}.type`,
      );
    const read = z.looseObject(fields).safeParse(inside(tool));
    if (read.success) return clientTool(read.data);
    const [issue] = read.error.issues;
    throw invalidRequest(`tools.${i}.${issue?.path.join('.')}: ${issue?.message}`, `tools.${i}`);
  });
  const isOneAtATime = mayBeParallel === false;
  if (choice == null || choice === 'auto') return { tools: all, isOneAtATime };
  if (choice === 'none') return { tools: [], isOneAtATime };
  const allowed = allowedBy(choice);
  if (!allowed)
    throw invalidRequest(
      'an agent decides by itself which tools it calls: "tool_choice" is "auto", "none", or "allowed_tools" with the mode "auto"',
      'tool_choice',
    );
  const unknown = allowed.find((name) => !all.some((tool) => tool.name === name));
  if (unknown !== undefined)
    throw invalidRequest(`"tool_choice" allows ${shown(unknown)}, which is none of the tools`, 'tool_choice');
  return { tools: all.filter(({ name }) => allowed.includes(name)), isOneAtATime };
}

function clientTool({ name, description, parameters }: Tool): ClientTools['tools'][number] {
  return { name, ...(description && { description }), ...(parameters && { parameters }) };
}

/** The names of the tools that the model may call if it wants to; null for a choice of another kind. */
function allowedBy(choice: string | z.output<typeof someTool>): string[] | null {
  if (typeof choice === 'string' || choice.type !== 'allowed_tools') return null;
  const list = z.looseObject({ mode: z.literal('auto'), tools: z.array(someTool).check(z.maxLength(128)) });
  const read = list.safeParse('allowed_tools' in choice ? choice.allowed_tools : choice);
  if (!read.success) return null;
  const names = read.data.tools.map(
    (tool) => named.safeParse('function' in tool ? inner(tool) : tool).data?.name,
  );
  return names.every((name) => name !== undefined) ? names : null;
}

function inner({ type, function: tool }: z.output<typeof someTool>): unknown {
  return typeof tool === 'object' && tool !== null ? { ...tool, type } : null;
}
