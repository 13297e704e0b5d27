import type { Panel } from './confirm-verdict.ts';
import { t } from './words.ts';

interface ConfirmButtonsProps {
  panel: Panel;
  isAllowed: boolean;
  mayModify: boolean;
  /** What is written can be sent. */
  isReady: boolean;
  /** What the last button does. */
  words: string;
  open(panel: Panel): void;
  act(): void;
}

/** Reject, change, approve. */
export function ConfirmButtons(props: ConfirmButtonsProps) {
  const { panel, isAllowed, mayModify, isReady, words, open, act } = props;
  return (
    <>
      <button
        type="button"
        class="btn"
        aria-expanded={panel === 'reject'}
        disabled={!isAllowed}
        onClick={() => open('reject')}
      >
        {panel === 'reject' ? t.back : t.reject} <kbd>{panel === 'reject' ? 'Esc' : 'R'}</kbd>
      </button>
      {panel !== 'reject' && mayModify && (
        <button
          type="button"
          class="btn"
          aria-expanded={panel === 'modify'}
          aria-pressed={panel === 'modify'}
          disabled={!isAllowed}
          onClick={() => open('modify')}
        >
          {t.modify} <kbd>{panel === 'modify' ? 'Esc' : 'M'}</kbd>
        </button>
      )}
      <button type="button" class="btn primary" disabled={!isAllowed || !isReady} onClick={act}>
        <span>{words}</span> <kbd>Ctrl ↵</kbd>
      </button>
    </>
  );
}
