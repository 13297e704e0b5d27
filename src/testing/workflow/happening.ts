import type { EventObject } from 'xstate';

/** What may happen to a chart that rests: an event from outside, the end of a service, or a timer. */
export type Happening =
  | { kind: 'event'; event: EventObject }
  | { kind: 'done'; id: string; output: unknown }
  | { kind: 'failed'; id: string; error: ServiceFailure }
  | { kind: 'timer'; type: string };

export interface ServiceFailure {
  code: string;
  message: string;
}

/** A happening for people: `assess done {"risk":"low"}`, `assess failed SAMPLE`, `after patience`, `order.recalled`. */
export function wordsOf(happening: Happening): string {
  switch (happening.kind) {
    case 'event': {
      const { type, ...payload } = happening.event;
      return Object.keys(payload).length === 0 ? type : `${type} ${short(payload)}`;
    }
    case 'done':
      return `${happening.id} done ${short(happening.output)}`;
    case 'failed':
      return `${happening.id} failed ${happening.error.code}`;
    case 'timer':
      return eventWords(happening.type);
  }
}

/**
 * The type of an event for people.
 *
 * @param nodeId of the state that takes it, where that is known
 */
export function eventWords(type: string, nodeId?: string): string {
  if (type === '') return 'always';
  const [, what, of, id = ''] = /^xstate\.(done|error)\.(actor|state)\.(.*)$/.exec(type) ?? [];
  if (of === 'state') return 'onDone';
  if (what) return `${id} ${what === 'done' ? 'done' : 'failed'}`;
  if (!type.startsWith('xstate.after.')) return type;
  const after = type.slice('xstate.after.'.length);
  const end = nodeId === undefined ? after.indexOf('.') : after.length - nodeId.length - 1;
  const delay = after.slice(0, Math.max(end, 0)) || after;
  return `after ${/^\d+$/.test(delay) ? `${delay} ms` : delay}`;
}

function short(value: unknown): string {
  const json = JSON.stringify(value) ?? '';
  return json.length > 60 ? `${json.slice(0, 57)}…` : json;
}
