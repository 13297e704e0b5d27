import { closed, defineTool, ownArguments, type Tool } from '../../protocol/tool.ts';
import type { TodoItem } from '../../protocol/views.ts';

const maxItems = 100;
const marks = { pending: '[ ]', in_progress: '[>]', completed: '[x]' } as const;

const item = closed({
  content: { type: 'string', minLength: 1, maxLength: 500 },
  status: { type: 'string', enum: ['pending', 'in_progress', 'completed'] },
});
const parameters = ownArguments(
  { items: { type: 'array', items: item, maxItems } },
  {},
  { trimmed: ['items'] },
);

/** `todo`: the agent's task list. Each call has the whole list, so the log is its only storage. */
export function todoTool(): Tool {
  return defineTool({
    name: 'todo',
    description:
      'Writes your list of what is to be done, for work of several steps: the user sees it. Give the whole list each ' +
      'time, it replaces the one before. Mark what you work on in_progress, one at a time, and what is done completed at once.',
    parameters,
    sideEffect: 'idempotent',
    // The list stays in the run.
    sends: false,
    run({ items }, { progress }) {
      for (const item of items) progress(lineOf(item));
      return checklist(items);
    },
  });
}

function checklist(items: readonly TodoItem[]): string {
  if (items.length === 0) return 'The list is empty.';
  const done = items.filter(({ status }) => status === 'completed').length;
  return [...items.map(lineOf), `(${done} of ${items.length} done)`].join('\n');
}

function lineOf({ content, status }: TodoItem): string {
  return `${marks[status]} ${content}`;
}
