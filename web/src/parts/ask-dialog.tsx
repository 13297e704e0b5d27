import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { useModal } from './use-modal.ts';
import { t } from './words.ts';

interface AskDialogProps {
  title: string;
  /** What the button does that goes on: `Remove`. */
  action: string;
  /** Asked before something is taken away for good. */
  isDanger?: boolean;
  onYes(): void;
  /** After either answer, and on `Esc`. */
  onClose(): void;
  /** What happens then. */
  children?: ComponentChildren;
}

/** Asks before something is done, in a dialog over the page. Going back has the focus first; behind it, what opened the dialog has it again. */
export function AskDialog({ title, action, isDanger = false, onYes, onClose, children }: AskDialogProps) {
  const dialog = useModal();
  const titleId = useId();
  return (
    <dialog ref={dialog} class="ask-dialog" aria-labelledby={titleId} onClose={onClose}>
      <h2 id={titleId}>{title}</h2>
      <div>{children}</div>
      <p class="ask-answers">
        <button type="button" class="btn" onClick={() => dialog.current?.close()}>
          {t.goBack}
        </button>
        <button
          type="button"
          class={isDanger ? 'btn danger' : 'btn primary'}
          onClick={() => {
            onYes();
            dialog.current?.close();
          }}
        >
          {action}
        </button>
      </p>
    </dialog>
  );
}
