import { createHook, executionAsyncId } from 'node:async_hooks';

interface Moment {
  /** Its stack, with the functions that await it. */
  error: Error;
  /** The asynchronous resource that it runs in. */
  resource: number;
}

/** When each asynchronous resource (promise, timer, socket) was made since the start of the way that is traced. */
const made = new Map<number, Moment>();

/** The moment of the call. V8 writes the text of its stack only when that is read, so this is cheap enough for each promise. */
const now = (): Moment => ({ error: new Error(), resource: executionAsyncId() });

/** Traces from now on what leads to what, in this process, until it ends. */
export function beginTracing(): void {
  Error.stackTraceLimit = Number.POSITIVE_INFINITY;
  createHook({ init: (id) => void made.set(id, now()) }).enable();
}

/** Here a way begins: what was made before does not count as a part of it. */
export function beginWay(): void {
  made.clear();
}

/**
 * The stacks that lead here, the newest first: that of the call, then that of the moment which made the promise, timer or socket in which
 * the call runs, and so on, back to the beginning of the way.
 */
export function stacksHere(): string[] {
  const stacks: string[] = [];
  const { error, resource } = now();
  for (let at: Moment | undefined = { error, resource }; at; at = made.get(at.resource))
    stacks.push(at.error.stack ?? '');
  return stacks;
}
