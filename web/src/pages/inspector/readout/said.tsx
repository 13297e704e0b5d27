import { chatPath, href } from '../../../base/place.ts';
import type { LoggedMessage } from '../../../data/answers.ts';
import type { InspectedRun } from '../../../data/inspected-run.ts';
import { t } from './words.ts';

/** The messages that the transition wrote. */
export function Said({ run, messages }: { run: InspectedRun; messages: readonly LoggedMessage[] | null }) {
  const trace = run.trace.value;
  if (trace === null || messages === null) return null;
  const place = `${chatPath(trace.sessionId)}?run=${run.runId}&at=${run.seq.value}`;
  return (
    <section>
      <div class="secthead">
        <h2>{t.said}</h2>
        <a class="link" href={href(place)}>
          {t.inChat}
        </a>
      </div>
      {messages.length === 0 && <p class="dim">{t.nothingSaid}</p>}
      <dl class="said">
        {messages.map((message) => [
          <dt key={`${message.role} ${message.callId ?? ''}`}>
            {message.role} {message.callId}
          </dt>,
          <dd
            key={`${message.role} ${message.callId ?? ''} text`}
            tabIndex={message.text.length > 300 ? 0 : undefined}
          >
            {message.text}
          </dd>,
          message.toolCalls && [
            <dt key="calls">{t.calls}</dt>,
            <dd key="names">
              <code>{message.toolCalls.map(({ callId, name }) => `${callId} ${name}`).join(', ')}</code>
            </dd>,
          ],
        ])}
      </dl>
    </section>
  );
}
