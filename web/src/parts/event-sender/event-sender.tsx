import { isObject, parseJson } from '#src/protocol/json.ts';
import { ask } from '../../data/use-request.ts';
import { SendForm } from './send-form.tsx';
import { t } from './words.ts';

/** Sends a workflow one event of its chart. `run.cancel` is a command of its own, and brings nothing. */
export function EventSender({ runId, type, close }: { runId: string; type: string; close: () => void }) {
  const isCancel = type === 'run.cancel';
  const send = async (text: string) => {
    const payload = text.trim() === '' ? {} : parseJson(text);
    if (!isObject(payload)) return t.badJson;
    if (isCancel) await ask('agent.cancel', { runId });
    else {
      const { taken } = await ask('workflow.send', { runId, event: { ...payload, type } });
      if (!taken) return t.notTaken;
    }
    return null;
  };
  const field = isCancel ? null : { label: t.payload, placeholder: '{}', isCode: true };
  return <SendForm what={type} field={field} send={send} close={close} />;
}
