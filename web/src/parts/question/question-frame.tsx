import './question.css';
import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useId, useRef, useState } from 'preact/hooks';
import { announce } from '../../base/announce.tsx';
import type { StateKey } from '../states.ts';
import { t } from './words.ts';

/** Keys do nothing in the first moment: what a person was just typing must not decide. */
const calmMs = 500;

/** Whether the question stands in a dialog over the page, and so is none itself. */
export const InDialog = createContext(false);

/** The keys of a question. */
export interface QuestionKeys {
  /**
   * Performs what a key means. False if the focus is elsewhere, and the key was meant for that. In the first moment it performs
   * nothing, and the person reads that.
   */
  act(keys: string, perform: () => unknown): boolean;
  /** The key that came too soon, until another one counts. */
  tooSoon: string | null;
}

interface QuestionFrameProps {
  state: StateKey;
  title: string;
  n: number;
  m: number;
  /** The id of what describes it. */
  describedBy: string;
  children(keys: QuestionKeys): ComponentChildren;
}

/**
 * A question of a run to the person, where the ball of the rail falls. It opens without stealing the caret: only a person who is
 * writing nothing gets the focus moved, and then to the heading.
 */
export function QuestionFrame({ state, title, n, m, describedBy, children }: QuestionFrameProps) {
  const id = useId();
  const isInDialog = useContext(InDialog);
  const frame = useRef<HTMLElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  /** The empty message that had the focus. */
  const left = useRef<HTMLTextAreaElement | null>(null);
  /** What had the focus last, and whether that was of this question. */
  const last = useRef<{ element: EventTarget | null; isInside: boolean } | null>(null);
  const [isCalm, setCalm] = useState(true);
  const [tooSoon, setTooSoon] = useState<string | null>(null);
  useEffect(() => {
    const onFocus = ({ target }: FocusEvent) => {
      last.current = { element: target, isInside: frame.current?.contains(target as Node) ?? false };
    };
    document.addEventListener('focusin', onFocus);
    return () => document.removeEventListener('focusin', onFocus);
  }, []);
  useEffect(() => {
    const timer = setTimeout(() => setCalm(false), calmMs);
    announce(title, 'assertive');
    left.current = emptyMessage();
    if (left.current !== null || !hasFocus()) heading.current?.focus({ preventScroll: true });
    const own = frame.current;
    return () => {
      clearTimeout(timer);
      // The focus would fall to the beginning of the page.
      if (own?.contains(document.activeElement)) (document.activeElement as HTMLElement).blur();
    };
  }, []);
  /** Also where a button or a field had the focus that rests now, or is gone: the person has not left. */
  const isInside = () => {
    if (hasFocus()) return frame.current?.contains(document.activeElement) === true;
    const { element, isInside } = last.current ?? {};
    return (
      isInside === true &&
      element instanceof Element &&
      (!element.isConnected || element.matches(':disabled'))
    );
  };
  const keys: QuestionKeys = {
    tooSoon,
    act(pressed, perform) {
      if (!isInside()) return false;
      setTooSoon(isCalm ? pressed : null);
      if (isCalm) announce(t.tooSoon(pressed), 'assertive');
      else perform();
      return true;
    },
  };
  /** A person who begins a message as the question comes has pressed its first letter for the message. */
  const giveBack = (event: KeyboardEvent) => {
    const isLetter = event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey;
    if (!isCalm || !isLetter || left.current === null || event.target !== heading.current) return;
    event.stopPropagation();
    left.current.focus();
  };
  return (
    <section
      ref={frame}
      class="ask"
      data-s={state}
      data-calm={isCalm || undefined}
      onKeyDown={giveBack}
      role={isInDialog ? 'group' : 'dialog'}
      aria-labelledby={id}
      aria-describedby={describedBy}
    >
      <Catch />
      <h2 id={id} ref={heading} tabIndex={-1}>
        <span>{title}</span>
        {m > 1 && <span class="ask-count">{t.nOfM(n, m)}</span>}
      </h2>
      {children(keys)}
    </section>
  );
}

function hasFocus(): boolean {
  return document.activeElement !== null && document.activeElement !== document.body;
}

/** The message, if it has the focus and is empty. */
function emptyMessage(): HTMLTextAreaElement | null {
  const { activeElement } = document;
  const isMessage = activeElement instanceof HTMLTextAreaElement && !!activeElement.closest('.composer');
  return isMessage && activeElement.value === '' ? activeElement : null;
}

/** The notch in the edge of the dock, with the ball in it. */
function Catch() {
  return (
    <svg class="catch" width="40" height="24" viewBox="0 0 40 24" aria-hidden="true">
      <path d="M6 0V6.5L20 20 34 6.5V0z" fill="var(--ground)" />
      <path
        d="M0 6.5H6L20 20 34 6.5H40"
        fill="none"
        stroke="var(--c)"
        stroke-width="3"
        stroke-linejoin="round"
      />
      <circle cx="20" cy="8" r="7.2" fill="var(--c)" />
      <circle cx="17.8" cy="5.6" r="1.7" fill="oklch(1 0 0 / .65)" />
    </svg>
  );
}
