import { isObject, parseJson } from '../protocol/json.ts';
import type { StepView, TodoItem } from '../protocol/run-view.ts';

const statuses: readonly unknown[] = ['pending', 'in_progress', 'completed'] satisfies TodoItem['status'][];

/** The list that an agent wrote last. It is kept nowhere else than in the log: each call has the whole of it. */
export function lastTodo(steps: readonly StepView[]): TodoItem[] | null {
  const call = steps
    .flatMap(({ toolCalls }) => toolCalls)
    .findLast(({ name, status }) => name === 'todo' && status === 'done');
  const given = call && parseJson(call.argumentsRaw);
  const items = isObject(given) ? given.items : undefined;
  return Array.isArray(items) && items.every(isItem) ? items : null;
}

function isItem(value: unknown): value is TodoItem {
  return isObject(value) && typeof value.content === 'string' && statuses.includes(value.status);
}
