import * as z from 'zod/mini';
import type { Method } from '../../src/gateway/methods/method.ts';

/** What the ids in an input name. */
export interface Ids {
  runId: string;
  otherRunId: string;
  sessionId: string;
  callId: string;
  jobId: string;
}

/** Values for the other fields that methods need. */
const others: Readonly<Record<string, unknown>> = {
  prompt: 'hello',
  message: 'hello',
  query: 'Xanadu',
  path: 'MEMORY.md',
  verdict: 'approve',
  grant: 1,
  n: 1,
  at: 1,
  seq: 1,
  id: 'art_none',
  data: 'aGVsbG8=',
  timeoutMs: 1,
  limit: 10,
  name: 'none',
  tool: 'none',
  kind: 'folder',
  workflow: 'none',
  event: { type: 'parcel.sent' },
  invocation: 'approval',
  installation: 'phone',
  from: 'guest:none',
  to: 'none',
  userId: 'none',
};

/** The least input of a method, with these ids. */
export function inputOf({ input, name }: Method, ids: Ids): Record<string, unknown> {
  const fields = Object.entries(input.shape).filter(
    ([field, schema]) => field in ids || !z.safeParse(schema, undefined).success,
  );
  const made = Object.fromEntries(
    fields.map(([field]) => [field, field in ids ? ids[field as keyof Ids] : others[field]]),
  );
  if (name === 'cron.add' || name === 'cron.preview') return { ...made, at: '2100-01-01T00:00:00Z' };
  if (name === 'workflow.answer') return { ...made, answer: { approved: true } };
  return name === 'run.reconcile' ? { ...made, verdict: 'skip' } : made;
}

/** The request that has a method's input over HTTP. */
export function requestOf(method: Method, input: Record<string, unknown>) {
  const { verb = 'get', path = '' } = method.http ?? {};
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => String(name));
  const place = path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(input[name])));
  const rest = Object.entries(input).filter(([name]) => !inPath.includes(name));
  const query = new URLSearchParams(rest.map(([name, value]): [string, string] => [name, String(value)]));
  return verb === 'post' || verb === 'patch'
    ? { path: `/api/v1${place}`, init: { method: verb.toUpperCase(), body: Object.fromEntries(rest) } }
    : { path: `/api/v1${place}?${query}`, init: { method: verb.toUpperCase() } };
}

/** Ids of what is not there. */
export const nothing: Ids = {
  runId: 'run_none',
  otherRunId: 'run_nil',
  sessionId: 'nowhere',
  callId: 'c1',
  jobId: 'unwritten',
};

/** An answer without the ids that were asked for, and without those that are made anew each time. */
export function masked(answer: unknown, ids: Ids): unknown {
  let text = JSON.stringify(answer);
  for (const [field, id] of Object.entries(ids))
    text = text.replaceAll(new RegExp(`\\b${id}\\b`, 'g'), field);
  return JSON.parse(
    text
      .replaceAll(/"(createdAt|updatedAt)":\d+/g, '"$1":0')
      .replaceAll(/"(?:run|ses|upl|att|job)_[a-z0-9-]+"|"r\d+"|"at":\d+|"[a-z%0-9]*:sessionId"/gi, '"…"'),
  );
}
