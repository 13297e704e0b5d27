import { useId, useState } from 'preact/hooks';
import { may } from '../../data/connection.ts';
import { isForChart } from '../../data/runs.ts';
import { CallContent } from './call-content.tsx';
import { CallFacts } from './call-facts.tsx';
import { type QuestionProps, useDeciding } from './decide.ts';
import { DecidingNote } from './deciding-note.tsx';
import { LongField } from './long-field.tsx';
import { QuestionFrame } from './question-frame.tsx';
import { useTool } from './tools.ts';
import { t } from './words.ts';

/** A call whose process died while it ran: a person says what became of it. */
export function ReconcileCall(props: QuestionProps) {
  const { run, question, n, m } = props;
  const id = useId();
  const tool = useTool(question.name);
  const deciding = useDeciding(props);
  const [hasRun, setRun] = useState(false);
  const [result, setResult] = useState('');
  const isAllowed = may('approve') && !deciding.isBusy;
  const decide = (verdict: 'ran' | 'retry' | 'skip') => {
    const said = verdict === 'ran' && result !== '' ? { result } : {};
    void deciding.send('run.reconcile', { verdict, ...said });
  };
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
                  <LongField
                    label={isForChart(run) ? t.ranResultForChart : t.ranResult}
                    maxLength={100_000}
                    value={result}
                    write={setResult}
                  />
                </div>
              )}
            </div>
            <CallFacts id={`${id}-facts`} run={run} question={question} tool={tool} />
          </div>
          <DecidingNote deciding={deciding} mayDecide={may('approve')} />
          <div class="acts">
            <span class="sp" />
            {hasRun ? (
              <>
                <button type="button" class="btn" onClick={() => setRun(false)}>
                  {t.back}
                </button>
                <button type="button" class="btn primary" disabled={!isAllowed} onClick={() => decide('ran')}>
                  {deciding.isBusy ? t.deciding : t.ranSend}
                </button>
              </>
            ) : (
              <>
                <button type="button" class="btn" disabled={!isAllowed} onClick={() => decide('skip')}>
                  {t.skip}
                </button>
                <button type="button" class="btn" disabled={!isAllowed} onClick={() => decide('retry')}>
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
