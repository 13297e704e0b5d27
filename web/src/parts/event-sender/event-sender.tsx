import { useState } from 'preact/hooks';
import { isObject, parseJson } from '#src/protocol/json.ts';
import { asClientError, ask } from '../../data/use-request.ts';
import { Failure } from '../failure.tsx';
import { t } from './words.ts';

/** Sends a workflow one event of its chart. `run.cancel` is a command of its own, and brings nothing. */
export function EventSender({ runId, type, close }: { runId: string; type: string; close: () => void }) {
  const [payload, write] = useState('');
  const [failed, fail] = useState<unknown>(null);
  const [words, say] = useState('');
  const isCancel = type === 'run.cancel';

  async function send(): Promise<void> {
    say('');
    fail(null);
    const body = objectOf(payload);
    if (body === null) return say(t.badJson);
    try {
      if (isCancel) await ask('agent.cancel', { runId });
      else {
        const { taken } = await ask('workflow.send', { runId, event: { ...body, type } });
        if (!taken) return say(t.notTaken);
      }
      close();
    } catch (error) {
      fail(error);
    }
  }

  return (
    <form
      class="sender"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      {isCancel ? (
        <span>{t.reallyCancel}</span>
      ) : (
        <input
          class="field mono"
          aria-label={t.payload}
          placeholder="{}"
          value={payload}
          onInput={({ currentTarget }) => write(currentTarget.value)}
        />
      )}
      <button type="submit" class="btn small primary">
        {isCancel ? t.cancelIt : t.say}
      </button>
      <button type="button" class="btn small" onClick={close}>
        {t.notNow}
      </button>
      {words !== '' && <span role="alert">{words}</span>}
      {failed !== null && <Failure error={asClientError(failed)} />}
    </form>
  );
}

/** The payload that a person wrote; null if it is no JSON object. */
function objectOf(text: string): Record<string, unknown> | null {
  if (text.trim() === '') return {};
  const value = parseJson(text);
  return isObject(value) ? value : null;
}
