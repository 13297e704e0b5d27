import { useState } from 'preact/hooks';
import { isObject, type JsonObject, parseJson } from '#src/protocol/json.ts';
import { isFlow } from '../../data/runs.ts';
import { ask, useRequest } from '../../data/use-request.ts';
import { late } from '../late.tsx';
import { visible } from '../visible.ts';
import type { PayloadProps } from './fields-sender.tsx';
import { SendForm } from './send-form.tsx';
import { t } from './words.ts';

/** The fields come with it: most pages send no event. */
const FieldsSender = late(async () => (await import('./fields-sender.tsx')).FieldsSender);

interface EventSenderProps {
  runId: string;
  type: string;
  close(): void;
}

/** Sends a workflow one event of its chart. `run.cancel` is a command of its own, and brings nothing. */
export function EventSender({ runId, type, close }: EventSenderProps) {
  const isCancel = type === 'run.cancel';
  const run = useRequest('run.get', isCancel ? null : { runId });
  const id = run.data && isFlow(run.data) ? run.data.workflow.id : null;
  const workflow = useRequest('workflow.get', id === null ? null : { workflow: id });
  if (isCancel) {
    const cancel = async () => {
      await ask('agent.cancel', { runId });
      return null;
    };
    return (
      <SendForm what={type} isCancel send={cancel} close={close}>
        <span>{t.reallyCancel}</span>
      </SendForm>
    );
  }
  if (run.isLoading || (id !== null && workflow.isLoading)) return null;
  const schema = workflow.data?.payloads?.[type];
  const send = async (payload: JsonObject) => {
    const { taken } = await ask('workflow.send', { runId, event: { ...payload, type } });
    const guard = run.data?.allowed.find((one) => one.type === type)?.guard;
    return taken ? null : guard === undefined ? t.notTaken : t.guardRefuses(visible(guard));
  };
  // Of a chart that is not declared here any more, and of an event that no schema checks, any JSON may come.
  if (schema === undefined) return <JsonSender type={type} send={send} close={close} />;
  return <FieldsSender type={type} schema={schema} send={send} close={close} />;
}

function JsonSender({ type, send, close }: PayloadProps) {
  const [text, write] = useState('');
  const submit = async () => {
    const payload = text.trim() === '' ? {} : parseJson(text);
    return isObject(payload) ? send(payload as JsonObject) : t.badJson;
  };
  return (
    <SendForm what={type} send={submit} close={close}>
      <input
        class="field mono"
        aria-label={t.payload}
        placeholder="{}"
        value={text}
        onInput={({ currentTarget }) => write(currentTarget.value)}
      />
    </SendForm>
  );
}
