import type { RunEvent } from '../protocol/run-events.ts';
import type { RunView } from '../protocol/run-view.ts';
import { type GatewayMethods, keyedVerbs, readingVerbs } from './methods.ts';

/** A run as the gateway shows it, with the commands that are legal now. */
export interface ClientRun extends RunView {
  allowed: { type: string; callId?: string; verdict?: string }[];
}

/** What the frames' schemas leave open, and the protocol's types say. */
interface KnownOutputs {
  'agent.wait': ClientRun;
  'run.get': ClientRun;
  'run.events': { events: RunEvent[] };
}

/** The client watches by itself. */
export type Method = Exclude<keyof GatewayMethods, 'run.subscribe' | 'run.unsubscribe' | 'ping'>;

export type Input<M extends Method> = Omit<GatewayMethods[M]['input'], 'subscribe'>;

export type Output<M extends Method> = M extends keyof KnownOutputs
  ? KnownOutputs[M]
  : GatewayMethods[M]['output'];

const verbOf = (method: string) => method.split('.').at(-1) ?? '';

/** Whether a method takes an `idempotencyKey`: the gateway does what is asked once, however often it comes. */
export function takesKey(method: string): boolean {
  return keyedVerbs.includes(verbOf(method));
}

/** Whether a request may be sent again when the connection broke before its response: it only reads, or has a key. */
export function isRepeatable(method: string): boolean {
  return takesKey(method) || readingVerbs.includes(verbOf(method));
}
