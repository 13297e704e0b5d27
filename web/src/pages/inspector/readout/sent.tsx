import { useState } from 'preact/hooks';
import type { RunPrompt } from '../../../data/answers.ts';
import { may } from '../../../data/connection.ts';
import type { InspectedRun } from '../../../data/inspected-run.ts';
import { pathsAt } from '../../../data/run-trace.ts';
import { useRequest } from '../../../data/use-request.ts';
import { Failure } from '../../../parts/failure.tsx';
import { visibleProse } from '../../../parts/visible.ts';
import { t } from './words.ts';

/** At a step of `thinking`: the prompt and the tools that the model gets. It is read when it is opened. */
export function Sent({ run }: { run: InspectedRun }) {
  const [isOpen, setOpen] = useState(false);
  const trace = run.trace.value;
  const at = run.seq.value;
  const isThinking =
    trace?.machine.name === 'run' &&
    pathsAt(trace, at).some((path) => path.startsWith('active.working.thinking'));
  if (!isThinking || !may('admin')) return null;
  return (
    <section>
      <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <h2>{t.sent}</h2>
        </summary>
        {isOpen && <Pages key={`${run.runId} ${at}`} runId={run.runId} seq={at} />}
      </details>
    </section>
  );
}

interface CallProps {
  runId: string;
  seq: number;
}

function Pages({ runId, seq }: CallProps) {
  const [starts, setStarts] = useState([0]);
  return (
    <>
      {starts.map((from, i) => (
        <Page
          key={from}
          {...{ runId, seq, from }}
          more={i === starts.length - 1 ? (next) => setStarts([...starts, next]) : null}
        />
      ))}
    </>
  );
}

/** @param more shows the next page; null behind it */
function Page({ from, more, ...call }: CallProps & { from: number; more: ((next: number) => void) | null }) {
  const { data, error, reload } = useRequest('run.prompt', { ...call, from });
  if (error) return <Failure error={error} retry={reload} />;
  if (!data) return <p class="dim">{t.reading}</p>;
  const { nextFrom, messages, tools, output } = data;
  return (
    <>
      {from === 0 && <About prompt={data} />}
      <dl class="said sent">
        {messages.map((message, i) => (
          <Message key={from + i} message={message} />
        ))}
      </dl>
      {output && from === 0 && <Spec name={t.outputSchema} text="" parameters={output} />}
      {tools.length > 0 && messages.length > 0 && <p class="label">{t.toolsOffered}</p>}
      {tools.map(({ name, description, parameters }) => (
        <Spec key={name} name={name} text={description} parameters={parameters} />
      ))}
      {more && nextFrom !== undefined && (
        <button type="button" class="btn small" onClick={() => more(nextFrom)}>
          {t.moreOfIt}
        </button>
      )}
    </>
  );
}

function About({ prompt: { model, tokens, tokensThen } }: { prompt: RunPrompt }) {
  if (tokensThen !== null && tokensThen !== tokens)
    return <p class="risky">{t.notExact(model, tokens, tokensThen)}</p>;
  return <p class="dim">{tokensThen === null ? t.unchecked(model, tokens) : t.rebuilt(model, tokens)}</p>;
}

function Message({ message }: { message: RunPrompt['messages'][number] }) {
  const { role, text, reasoning, toolCalls = [], name, parts = [] } = message;
  const lines = [
    ...(reasoning === undefined ? [] : [reasoning]),
    ...(text === '' ? [] : [text]),
    ...toolCalls.map((call) => `${call.name} ${call.arguments}`),
    ...parts.map((part) => `[${part}]`),
  ].join('\n');
  return (
    <>
      <dt>
        {role} {name}
      </dt>
      <dd tabIndex={lines.length > 300 ? 0 : undefined}>{visibleProse(lines)}</dd>
    </>
  );
}

function Spec({ name, text, parameters }: { name: string; text: string; parameters: object }) {
  return (
    <details class="spec">
      <summary>
        <code>{visibleProse(name)}</code>
      </summary>
      {text !== '' && <p class="dim">{visibleProse(text)}</p>}
      <pre class="raw">{visibleProse(JSON.stringify(parameters, null, 2))}</pre>
    </details>
  );
}
