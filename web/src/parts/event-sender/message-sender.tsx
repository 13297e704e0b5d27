import { useState } from 'preact/hooks';
import { SendForm } from './send-form.tsx';
import { t } from './words.ts';

interface MessageSenderProps {
  /** The command that takes the words. */
  what: string;
  send(words: string): Promise<unknown>;
  close(): void;
}

/** Says something to a run or a session. */
export function MessageSender({ what, send, close }: MessageSenderProps) {
  const [text, write] = useState('');
  const submit = async () => {
    if (text.trim() === '') return t.noWords;
    await send(text);
    return null;
  };
  return (
    <SendForm what={what} send={submit} close={close}>
      <input
        class="field"
        aria-label={t.sayWhat}
        placeholder={t.sayWhat}
        value={text}
        onInput={({ currentTarget }) => write(currentTarget.value)}
      />
    </SendForm>
  );
}
