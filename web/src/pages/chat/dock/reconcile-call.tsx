import { useId, useState } from 'preact/hooks';
import { may } from '../../../data/connection.ts';
import { isForChart } from '../../../data/runs.ts';
import { CallContent } from './call-content.tsx';
import { CallFacts } from './call-facts.tsx';
import type { QuestionProps } from './confirm-call.tsx';
import { useDeciding } from './decide.ts';
import { DecidingNote } from './deciding-note.tsx';
import { QuestionFrame } from './question-frame.tsx';
import { useTool } from './tools.ts';
import { t } from './words.ts';

/** A call whose process died while it ran: a person says what became of it. */
export function ReconcileCall({ run, question, n, m, settled, changed }: QuestionProps) {
  const id = useId();
  const tool = useTool(question.name);
  const deciding = useDeciding(changed);
  const [hasRun, setRun] = useState(false);
  const [result, setResult] = useState('');
  const isAllowed = may('approve') && !deciding.isBusy;
  async function decide(verdict: 'ran' | 'retry' | 'skip'): Promise<void> {
    const said = verdict === 'ran' && result !== '' ? { result } : {};
    const { runId } = run;
    const decision = await deciding.send('run.reconcile', {
      runId,
      callId: question.callId,
      verdict,
      ...said,
    });
    if (decision) settled(question, decision);
  }
  return (
    <QuestionFrame state="rec" title={t.didItRun(question.name)} n={n} m={m} describedBy={`${id}-why`}>
      {() => (
        <>
          <p id={`${id}-why`} class="ask-words-plain">
            {t.didItRunWhy}
          </p>
          <div class="grid">
            <div>
              <CallContent question={question} />
              {hasRun && (
                <div class="extra">
                  <label class="label" for={`${id}-result`}>
                    {isForChart(run) ? t.ranResultForChart : t.ranResult}
                  </label>
                  <textarea
                    class="field"
                    id={`${id}-result`}
                    rows={2}
                    maxLength={100_000}
                    value={result}
                    onInput={(event) => setResult(event.currentTarget.value)}
                  />
                </div>
              )}
            </div>
            <CallFacts id={`${id}-facts`} run={run} question={question} tool={tool} />
          </div>
          <DecidingNote deciding={deciding} scope="approve" />
          <div class="acts">
            <span class="sp" />
            {hasRun ? (
              <>
                <button type="button" class="btn" onClick={() => setRun(false)}>
                  {t.back}
                </button>
                <button
                  type="button"
                  class="btn primary"
                  disabled={!isAllowed}
                  onClick={() => void decide('ran')}
                >
                  {deciding.isBusy ? t.deciding : t.ranSend}
                </button>
              </>
            ) : (
              <>
                <button type="button" class="btn" disabled={!isAllowed} onClick={() => void decide('skip')}>
                  {t.skip}
                </button>
                <button type="button" class="btn" disabled={!isAllowed} onClick={() => void decide('retry')}>
                  {t.retry}
                </button>
                <button type="button" class="btn" disabled={!isAllowed} onClick={() => setRun(true)}>
                  {t.ran}…
                </button>
              </>
            )}
          </div>
        </>
      )}
    </QuestionFrame>
  );
}
