/** Sessions: their list, their lines, and how they go out and come in. */
export { createSession, type NewSession } from './sessions/create.ts';
export type { ImportedSession } from './sessions/import.ts';
export { listSessions, type SessionFilter } from './sessions/list-sessions.ts';
export type { NewRating } from './sessions/rate.ts';
export type { LogSource } from './sessions/read-lines.ts';
export type { SessionRun, SessionSummary, SessionView } from './sessions/session-view.ts';
export {
  type DeletedSession,
  type ForkPlace,
  type NamedSession,
  type SessionChange,
  Sessions,
} from './sessions/sessions.ts';
