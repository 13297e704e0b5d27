import { useId, useState } from 'preact/hooks';
import { AskDialog } from '../../parts/ask-dialog.tsx';
import { t } from './words.ts';

interface RenameDialogProps {
  /** What the session is called now. */
  title: string;
  /** @param title null for its first words */
  rename(title: string | null): void;
  onClose(): void;
}

/** Asks what a session is to be called. */
export function RenameDialog({ title, rename, onClose }: RenameDialogProps) {
  const [written, write] = useState(title);
  const id = useId();
  const save = () => rename(written.trim() || null);
  return (
    <AskDialog title={t.renameTitle} action={t.renameSave} onYes={save} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save();
          onClose();
        }}
      >
        <label class="label" for={id}>
          {t.renameLabel}
        </label>
        <input
          class="field"
          id={id}
          maxLength={200}
          autocomplete="off"
          value={written}
          onFocus={(event) => event.currentTarget.select()}
          onInput={(event) => write(event.currentTarget.value)}
        />
      </form>
      <p>{t.renameAbout}</p>
    </AskDialog>
  );
}
