import type { RunEvent } from '../protocol/run-events.ts';
import type { RunView } from '../protocol/run-view.ts';
import { type GatewayMethods, readingVerbs } from './methods.ts';

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

/** Methods that change something, and may be repeated: a second time they do nothing, or what they did is said again. */
const repeatable: readonly string[] = ['agent.run', 'agent.cancel', 'tool.confirm', 'run.resume'];

/**
 * Whether a request may be sent again when the connection broke before its response. Others may have been done: steering twice
 * says a thing twice, an answer may meet the next question, and `retry` would run a call once more.
 */
export function isRepeatable(method: string, payload: unknown): boolean {
  if (method === 'run.reconcile') return (payload as { verdict?: unknown } | undefined)?.verdict !== 'retry';
  return repeatable.includes(method) || readingVerbs.includes(method.split('.').at(-1) ?? '');
}
