import { useState } from 'preact/hooks';
import { timeOfDay } from '../../base/format.ts';
import { AnswerQuestion } from './answer-question.tsx';
import { type Asking, type DecidedElsewhere, keyOfQuestion } from './asking.ts';
import { ClientCall } from './client-call.tsx';
import { ConfirmCall } from './confirm-call.tsx';
import { ReconcileCall } from './reconcile-call.tsx';
import { t } from './words.ts';

const byKind = {
  confirm: ConfirmCall,
  question: AnswerQuestion,
  reconcile: ReconcileCall,
  client: ClientCall,
} as const;

/** What needs the person now: always in the same place, one question at a time. */
export function Questions({ asking }: { asking: Asking }) {
  const { run, question, n, m, elsewhere, settled, reload, dismiss } = asking;
  const [changedCall, setChanged] = useState<string | null>(null);
  if (run === null || question === null)
    return elsewhere && <Elsewhere elsewhere={elsewhere} dismiss={dismiss} />;
  const Kind = byKind[question.kind];
  const call = `${run.runId} ${question.callId}`;
  const changed = () => {
    setChanged(call);
    void reload();
  };
  return (
    <>
      {elsewhere && <Elsewhere elsewhere={elsewhere} dismiss={dismiss} />}
      <Kind
        key={keyOfQuestion(run.runId, question)}
        run={run}
        question={question}
        n={n}
        m={m}
        isChanged={changedCall === call}
        settled={settled}
        changed={changed}
      />
    </>
  );
}

const settledWords: Readonly<Record<string, (time: string) => string>> = {
  approve: (time) => t.approvedElsewhere(time),
  modify: (time) => t.modifiedElsewhere(time),
  reject: (time) => t.rejectedElsewhere(time),
  answer: (time) => t.answeredElsewhere(time),
  expired: (time) => t.expiredThen(time),
  withdrawn: (time) => t.withdrawnThen(time),
};

/** The question that stood here was settled by someone else, or by time. */
function Elsewhere({ elsewhere, dismiss }: { elsewhere: DecidedElsewhere; dismiss(): void }) {
  const words = settledWords[elsewhere.verdict] ?? t.settledElsewhere;
  return (
    <div class="elsewhere" role="status">
      <span>{words(timeOfDay(elsewhere.at))}</span>
      <button type="button" class="btn small ghost" onClick={dismiss}>
        {t.dismiss}
      </button>
    </div>
  );
}
