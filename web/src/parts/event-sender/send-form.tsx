import { useState } from 'preact/hooks';
import { useAction } from '../../data/use-action.ts';
import { Failure } from '../failure.tsx';
import { visible } from '../visible.ts';
import { t } from './words.ts';

interface SendFormProps {
  /** The event that it sends. */
  what: string;
  /** What is written; null for the command that ends the run, which takes nothing. */
  field: { label: string; placeholder: string; isCode?: boolean; isRequired?: boolean } | null;
  /** Sends what was written. Resolves with what is wrong with it, in words; with null once it was taken. */
  send(text: string): Promise<string | null>;
  close(): void;
}

/** Sends a run one command or event, and is closed then. */
export function SendForm({ what, field, send, close }: SendFormProps) {
  const [text, write] = useState('');
  const [words, say] = useState<string | null>(null);
  const { error, act } = useAction();
  const submit = async () => {
    say(null);
    const wrong = await send(text);
    say(wrong);
    if (wrong === null) close();
  };
  return (
    <form
      class="sender"
      onSubmit={(event) => {
        event.preventDefault();
        if (!field?.isRequired || text.trim() !== '') void act(submit);
      }}
    >
      <code>{visible(what)}</code>
      {field === null ? (
        <span>{t.reallyCancel}</span>
      ) : (
        <input
          class={field.isCode ? 'field mono' : 'field'}
          aria-label={field.label}
          placeholder={field.placeholder}
          value={text}
          onInput={({ currentTarget }) => write(currentTarget.value)}
        />
      )}
      <button type="submit" class="btn small primary">
        {field === null ? t.cancelIt : t.say}
      </button>
      <button type="button" class="btn small" onClick={close}>
        {t.notNow}
      </button>
      {words !== null && <span role="alert">{words}</span>}
      {error && <Failure error={error} />}
    </form>
  );
}
