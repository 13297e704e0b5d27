import { signal } from '@preact/signals';

/** What people have written and not sent, by session, while the page is open. The draft of a new session has an empty key. */
const drafts = signal<Readonly<Record<string, string>>>({});

/** The session that began while the person wrote on: its view takes over the caret. */
let caretFor: string | null = null;

/** What is written and not sent in a session; null for the one that is to begin. */
export function draftOf(sessionId: string | null): string {
  return drafts.value[sessionId ?? ''] ?? '';
}

export function keepDraft(sessionId: string | null, text: string): void {
  drafts.value = { ...drafts.peek(), [sessionId ?? '']: text };
}

/** What the person has written since the message that began a session belongs to that, and so does the caret. */
export function continueDraftIn(sessionId: string, hasCaret: boolean): void {
  const { '': written, ...others } = drafts.peek();
  if (written) drafts.value = { ...others, [sessionId]: written };
  if (hasCaret) caretFor = sessionId;
}

/** Whether the view of a session gets the caret of the message that began it: true once. */
export function takesCaret(sessionId: string | null): boolean {
  if (sessionId === null || caretFor !== sessionId) return false;
  caretFor = null;
  return true;
}
