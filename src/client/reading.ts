/** For readers of events that do not come over this client's connection. */
export { EventOrder } from './link/event-order.ts';
export { newId } from './link/host.ts';
