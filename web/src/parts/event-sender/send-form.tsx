import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { useAction } from '../../data/use-action.ts';
import { Failure } from '../failure.tsx';
import { visible } from '../visible.ts';
import { t } from './words.ts';

interface SendFormProps {
  /** The event that it sends. */
  what: string;
  /** It ends the run, and is asked for once more. */
  isCancel?: boolean;
  /** Sends what was written. Resolves with what is wrong with it, in words; with null once it was taken. */
  send(): Promise<string | null>;
  close(): void;
  /** What is written. */
  children: ComponentChildren;
}

/** Sends a run one command or event, which its title and its button name, and is closed then. */
export function SendForm({ what, isCancel = false, send, close, children }: SendFormProps) {
  const titleId = useId();
  const [words, say] = useState<string | null>(null);
  const { isBusy, error, act } = useAction();
  const submit = async () => {
    say(null);
    const wrong = await send();
    say(wrong);
    if (wrong === null) close();
  };
  return (
    <form
      class="sender"
      aria-labelledby={titleId}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void act(submit);
      }}
    >
      <p id={titleId} class="sender-title">
        <code>{visible(what)}</code>
      </p>
      {children}
      <button type="submit" class="btn small primary" disabled={isBusy}>
        {isCancel ? t.cancelIt : t.say(visible(what))}
      </button>
      <button type="button" class="btn small" onClick={close}>
        {t.notNow}
      </button>
      {words !== null && <span role="alert">{words}</span>}
      {error && <Failure error={error} />}
    </form>
  );
}
