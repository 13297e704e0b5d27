import type { JobSchedule } from '../../machines/job.types.ts';
import type { FireView, JobView } from '../protocol/job-view.ts';
import type { RunEvent } from '../protocol/run-events.ts';
import type { RunView } from '../protocol/run-view.ts';
import { firstKeyed, type GatewayMethods, verbs } from './methods.ts';

/** A run as the gateway shows it, with the commands that are legal now. */
export interface ClientRun extends RunView {
  allowed: { type: string; callId?: string; verdict?: string }[];
}

/** What the frames' schemas leave open, and the protocol's types say. */
interface KnownOutputs {
  'agent.wait': ClientRun;
  'run.get': ClientRun;
  'run.events': { events: RunEvent[]; nextAfterSeq?: number };
  'cron.list': { jobs: JobView[] };
  'cron.get': JobView;
  'cron.add': JobView;
  'cron.update': JobView;
  'cron.enable': JobView;
  'cron.disable': JobView;
  'cron.pause': JobView;
  'cron.resume': JobView;
  'cron.run': JobView;
  'cron.history': { slots: FireView[] };
  'cron.preview': { schedule: JobSchedule; words: string; parts: JobView['parts']; next: number[] };
}

/** The client watches by itself. */
export type Method = Exclude<keyof GatewayMethods, 'run.subscribe' | 'run.unsubscribe' | 'ping'>;

export type Input<M extends Method> = Omit<GatewayMethods[M]['input'], 'subscribe'>;

export type Output<M extends Method> = M extends keyof KnownOutputs
  ? KnownOutputs[M]
  : GatewayMethods[M]['output'];

/** The place of what a method is called; -1 for one that this client does not know. */
const placeOf = (method: string) => verbs.indexOf(method.split('.').pop() ?? '');

/** Whether a method takes an `idempotencyKey`: the gateway does what is asked once, however often it comes. */
export function takesKey(method: string): boolean {
  return placeOf(method) >= firstKeyed;
}

/** Whether a request may be sent again when the connection broke before its response: it only reads, or has a key. */
export function isRepeatable(method: string): boolean {
  return placeOf(method) >= 0;
}
