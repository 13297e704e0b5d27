import type { MethodInput, MethodName, MethodOutput } from '../protocol/methods.ts';

/** A run as the gateway shows it, with the commands that are legal now. */
export interface ClientRun extends MethodOutput<'run.get'> {}

/** The client watches by itself. */
export type Method = Exclude<
  MethodName,
  'run.subscribe' | 'run.unsubscribe' | 'feed.subscribe' | 'feed.unsubscribe' | 'ping'
>;

/** What a method takes. */
export type Input<M extends Method> = Omit<MethodInput<M>, 'subscribe'>;

/** What it answers. */
export type Output<M extends Method> = MethodOutput<M>;

/** What methods are called behind the dot: those that change something, and take an `idempotencyKey`, and those that read. */
const changing =
  'add answer call cancel claim clear confirm create delete disable enable forget fork giveBack pause put rate reconcile redeliver release remove result resume revoke run say send start steer takeover update'.split(
    ' ',
  );
const reading =
  'at context counts diff events export find forkPreview get history layout list log next origins ping preview prompt read search subscribe ticket trace unsubscribe wait why'.split(
    ' ',
  );

const verbOf = (method: string) => method.split('.').pop() ?? '';

/** Whether a method takes an `idempotencyKey`: the gateway does what is asked once, however often it comes. */
export function takesKey(method: string): boolean {
  return changing.includes(verbOf(method));
}

/** Whether a request may be sent again when the connection broke before its response: it only reads, or has a key. */
export function isRepeatable(method: string): boolean {
  return takesKey(method) || reading.includes(verbOf(method));
}
