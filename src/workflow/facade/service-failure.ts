import type { JsonObject } from '../../protocol/json.ts';
import type { FlowError } from '../../store/stored-run.ts';

/** What is wrong with a service, for `onError`. */
export interface ServiceError extends FlowError {
  retryable?: boolean;
  /** Of a thrown error, if it is not `Error`. */
  name?: string;
}

/** Built-in error classes, so that `instanceof` holds again for a revived error. */
const kinds: ReadonlyMap<string, ErrorConstructor> = new Map(
  [TypeError, RangeError, SyntaxError, ReferenceError, URIError, EvalError].map((kind) => [kind.name, kind]),
);

const failures = new WeakSet<object>();

/**
 * The `event.error` of a failed service, as XState would have it: an error with its message, its code and its own fields, or the
 * very value that was thrown.
 */
export function failureOf({ code, message, name = 'Error', fields, thrown }: ServiceError): unknown {
  if (thrown) return thrown[0];
  const error = new (kinds.get(name) ?? Error)(message);
  const hidden = (value: string) => ({ value, writable: true, configurable: true });
  if (error.name !== name && !Object.hasOwn(fields ?? {}, 'name'))
    Object.defineProperty(error, 'name', hidden(name));
  // The stack of this process has no meaning, and another process would have another one.
  Object.defineProperty(error, 'stack', hidden(String(error)));
  failures.add(error);
  return Object.assign(error, fields, { code });
}

/** What a row keeps of such an error, in a context or an event; null for any other value. */
export function keptOf(value: object): JsonObject | null {
  if (!failures.has(value)) return null;
  const { name, message } = value as Error;
  return { ...(value as JsonObject), message, ...(name !== 'Error' && { name }) };
}

/** Whether the error of a failed service is an object that was thrown as a plain object, not as an `Error`. */
export function hasThrownObject({ type, error }: { type: string; error?: unknown }): boolean {
  return isFailed(type) && typeof error === 'object' && error !== null && !failures.has(error);
}

function isFailed(type: string): boolean {
  return type.startsWith('xstate.error.actor.');
}

/** The error again that a row has kept in an event. */
export function revived(event: { type: string; error?: unknown }): { type: string; error?: unknown } {
  const { type, error } = event;
  if (!isFailed(type) || typeof error !== 'object' || error === null) return event;
  const { code, message, name, ...fields } = error as ServiceError & JsonObject;
  return { ...event, error: failureOf({ code, message, ...(name && { name }), fields }) };
}
