/** Takeovers: a person of the staff speaks in a session in place of its agent. */
export { heldByStaff } from './takeover/held.ts';
export { createTakeoverHost } from './takeover/takeover-host.ts';
export { Takeovers } from './takeover/takeovers.ts';
