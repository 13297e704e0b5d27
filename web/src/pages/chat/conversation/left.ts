import { createContext } from 'preact';

/** How the session's run stands if nothing works on it until somebody resumes it, so that no time is counted; else null. */
export const Left = createContext<string | null>(null);
