import { createContext } from 'preact';

/** Whose conversation it is that is shown. */
interface Whose {
  sessionId: string;
  /** Its user, where that is not who is logged in. */
  other: string | null;
}

export const Whose = createContext<Whose>({ sessionId: '', other: null });
