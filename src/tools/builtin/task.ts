import { defineTool, ownArguments, type Tool, ToolFailure, taskName } from '../../protocol/tool.ts';

const maxSteps = 1_000;
/** Disables the call's timeout, because a sub-run has limits of its own. Longer than any timer can run. */
const noTimeoutMs = Number.MAX_SAFE_INTEGER;

const parameters = ownArguments(
  { prompt: { type: 'string', minLength: 1, maxLength: 100_000 } },
  {
    description: { type: 'string', maxLength: 200, description: 'The work in a few words, for the user' },
    agent: { type: 'string', maxLength: 100, description: 'Who does it; default an agent like you' },
    tools: {
      type: 'array',
      items: { type: 'string', maxLength: 100 },
      maxItems: 100,
      description: 'The only tools it may use, of those that you have; default all of them',
    },
    max_steps: { type: 'integer', minimum: 1, maximum: maxSteps },
  },
  { trimmed: ['prompt'] },
);

/**
 * `task`: a piece of work for a run of its own, which starts with nothing but the prompt and ends with an answer.
 *
 * @param agents names of those that can take one
 */
export function taskTool(agents: readonly string[] = []): Tool {
  const others = agents.length > 1 ? ` Agents: ${agents.join(', ')}.` : '';
  return defineTool({
    name: taskName,
    description:
      'Hands a piece of work to another run and waits for its answer. It sees nothing of this conversation, so say ' +
      'all it needs in the prompt, and what you want back. Use it for work whose details need not stay here: a ' +
      `search through many files, say. What it spends counts here.${others}`,
    parameters,
    sideEffect: 'idempotent',
    // The sub-run checks its own writes and sends: it inherits the taint of this conversation.
    sends: false,
    timeoutMs: noTimeoutMs,
    run({ prompt, agent, tools, max_steps: maxSteps }, ctx) {
      if (ctx.task) return ctx.task({ prompt, agent, tools, maxSteps }, ctx);
      throw new ToolFailure('TASK_UNAVAILABLE', 'nothing here can start a run; do the work yourself');
    },
  });
}
