import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { chatPath, go } from '../../../base/place.ts';
import { isCustomer, may } from '../../../data/connection.ts';
import { useAction } from '../../../data/use-action.ts';
import { ask } from '../../../data/use-request.ts';
import { Failure } from '../../../parts/failure.tsx';
import { t } from '../words.ts';

/** Asks the same again: a copy of the run as it began, in a session of its own, which opens. */
async function repeat(runId: string, editMessage?: string): Promise<void> {
  const changes = editMessage === undefined ? {} : { editMessage };
  const fork = await ask('run.fork', { runId, at: 0, resume: true, ...changes });
  go(chatPath(fork.sessionId));
}

/** Edits the message that began a run. The conversation so far stays as it is: the new words begin a branch of it. */
export function EditMessage({ runId, text }: { runId: string; text: string }) {
  const [edited, edit] = useState<string | null>(null);
  const { isBusy, error, act } = useAction();
  const area = useRef<HTMLTextAreaElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const isOpen = edited !== null;
  const wasOpen = useRef(isOpen);
  // Without the focus, what a person types would act as shortcuts.
  useLayoutEffect(() => {
    if (isOpen) {
      area.current?.focus();
      area.current?.setSelectionRange(text.length, text.length);
    } else if (wasOpen.current) button.current?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  if (isCustomer()) return null;
  if (!isOpen)
    return (
      <button
        type="button"
        class="copy edit"
        ref={button}
        disabled={!may('write')}
        onClick={() => edit(text)}
      >
        {t.edit}
      </button>
    );
  const onKeyDown = (event: KeyboardEvent) => {
    const isSend = event.key === 'Enter' && (event.ctrlKey || event.metaKey);
    if (event.isComposing || (event.key !== 'Escape' && !isSend)) return;
    // Escape must not mean the run, too.
    event.preventDefault();
    if (isSend) area.current?.form?.requestSubmit();
    else edit(null);
  };
  return (
    <form
      class="edit-message"
      onSubmit={(event) => {
        event.preventDefault();
        if (edited.trim() !== '' && !isBusy) void act(() => repeat(runId, edited.trim()));
      }}
    >
      <textarea
        class="field"
        ref={area}
        rows={3}
        aria-label={t.editLabel}
        value={edited}
        onKeyDown={onKeyDown}
        onInput={(event) => edit(event.currentTarget.value)}
      />
      <p class="mid">{t.editAbout}</p>
      <button type="submit" class="btn small primary" disabled={isBusy || edited.trim() === ''}>
        {t.editSend} <kbd>Ctrl ↵</kbd>
      </button>
      <button type="button" class="btn small" onClick={() => edit(null)}>
        {t.editNot} <kbd>Esc</kbd>
      </button>
      {error && <Failure error={error} />}
    </form>
  );
}

/** Asks once more, in a branch. */
export function TryAgain({ runId }: { runId: string }) {
  const { isBusy, error, act } = useAction();
  if (isCustomer()) return null;
  return (
    <>
      <button
        type="button"
        class="copy"
        title={t.againAbout}
        disabled={isBusy || !may('write')}
        onClick={() => void act(() => repeat(runId))}
      >
        {t.again}
      </button>
      {error && <Failure error={error} />}
    </>
  );
}
