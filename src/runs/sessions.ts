/** Sessions and their users: how they are listed, go out and come in, are given to another, are taken over, and are deleted. */
export { createSession, type NewSession } from './sessions/create.ts';
export { clear } from './sessions/end-session.ts';
export type { ImportedSession } from './sessions/import.ts';
export { listSessions, type SessionFilter } from './sessions/list-sessions.ts';
export { type NewRating, rate } from './sessions/rate.ts';
export type { LogSource } from './sessions/read-lines.ts';
export type { SessionRun, SessionSummary, SessionView } from './sessions/session-view.ts';
export {
  type DeletedSession,
  type ForkPlace,
  type NamedSession,
  type SessionChange,
  Sessions,
} from './sessions/sessions.ts';
export { heldByStaff } from './takeover/held.ts';
export { Takeovers } from './takeover/takeovers.ts';
export type { Claim, ClaimAnswer, Claimed } from './users/claim.ts';
export { exportUser } from './users/export.ts';
export { type Forgetting, type Forgotten, Users } from './users/users.ts';
