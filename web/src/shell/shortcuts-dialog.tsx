import { signal, useSignalEffect } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { allowLetters, areLettersOn, shownShortcuts } from '../base/keys.ts';
import { t } from './words.ts';

const isShown = signal(false);

export function showShortcuts(): void {
  isShown.value = true;
}

/** All keys that work now. */
export function ShortcutsDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  useSignalEffect(() => {
    if (isShown.value) dialog.current?.showModal();
    else dialog.current?.close();
  });
  const byKeys = new Map(shownShortcuts().map((one) => [`${one.keys} ${one.words}`, one]));
  return (
    <dialog
      ref={dialog}
      aria-labelledby="keys-title"
      onClose={() => {
        isShown.value = false;
      }}
    >
      <h2 id="keys-title">{t.allKeys}</h2>
      <dl class="keys">
        {[...byKeys].map(([id, { keys, words }]) => [
          <dt key={`${id} keys`}>
            <kbd>{keys}</kbd>
          </dt>,
          <dd key={id}>{words}</dd>,
        ])}
      </dl>
      <label>
        <input
          type="checkbox"
          checked={areLettersOn.value}
          onChange={(event) => allowLetters(event.currentTarget.checked)}
        />{' '}
        {t.lettersOn}
      </label>
      <p>
        <button type="button" class="btn small" onClick={() => dialog.current?.close()}>
          {t.close}
        </button>
      </p>
    </dialog>
  );
}
