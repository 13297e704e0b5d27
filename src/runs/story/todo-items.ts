import { isObject, parseJson } from '../../protocol/json.ts';
import type { TodoItem } from '../../protocol/views.ts';

const statuses: readonly unknown[] = ['pending', 'in_progress', 'completed'] satisfies TodoItem['status'][];

/** The list that a call of `todo` wrote; null if its arguments hold none. */
export function todoItems(argumentsRaw: string): TodoItem[] | null {
  const given = parseJson(argumentsRaw);
  const items = isObject(given) ? given.items : undefined;
  return Array.isArray(items) && items.every(isItem) ? items : null;
}

function isItem(value: unknown): value is TodoItem {
  return isObject(value) && typeof value.content === 'string' && statuses.includes(value.status);
}
