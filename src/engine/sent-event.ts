import { isObject, type JsonObject } from '../protocol/json.ts';

/** The engine adds its time to each event, and knows a fact by the number of its effect: an event's own such fields stand here. */
const ownFields = '$own';

/** An event as the engine takes it. */
export function packed<E extends { type: string }>(event: E): Omit<E, 'at' | 'effectId'> {
  const { at, effectId, ...others } = event as E & { at?: unknown; effectId?: unknown };
  const own = { ...(at !== undefined && { at }), ...(effectId !== undefined && { effectId }) };
  return Object.keys(own).length === 0 ? others : { ...others, [ownFields]: own };
}

/** The event as it was sent. Its time is there to read, unless it has a field of that name: a chart that keeps the event keeps what it would in XState. */
export function unpacked(event: { type: string; at?: unknown; [field: string]: unknown }): { type: string } {
  const { at, [ownFields]: own, ...sent } = event;
  if (isObject(own)) Object.assign(sent, own as JsonObject);
  return at === undefined || 'at' in sent ? sent : Object.defineProperty(sent, 'at', { value: at });
}
