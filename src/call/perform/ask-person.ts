import type { PersonAnswer } from '../../protocol/tool.ts';
import type { Answer, QuestionView } from '../../protocol/views.ts';
import type { CallInput } from '../../store/stored-call.ts';
import { isOpen, type Question, questionOf } from '../../store/stored-call.ts';
import { shortHash } from '../../text/ids.ts';
import type { CallJob, CallServices } from '../decide-call.ts';

/** Maximum of questions in one call; more is a loop. */
const maxQuestions = 50;

/** Identifies a question when its call is made again: its content, and how often the call asked it before. */
type QuestionKey = string;

/**
 * Makes `ctx.ask` of one call. It asks one question at a time, each a row that survives the process. A call that is made
 * again finds its earlier answers.
 */
export function askerOf(
  services: Pick<CallServices, 'store' | 'bus'>,
  job: CallJob,
): (question: QuestionView) => Promise<PersonAnswer> {
  const times = new Map<string, number>();
  let count = 0;
  let last: Promise<unknown> = Promise.resolve();
  return (question) => {
    const text = JSON.stringify(question);
    const before = times.get(text) ?? 0;
    times.set(text, before + 1);
    if (++count > maxQuestions) return Promise.reject(new Error(`a call may ask ${maxQuestions} questions`));
    const answer = last.then(() => ask(services, job, question, `${shortHash(text)}.${before}`));
    last = answer.catch(() => {});
    return answer;
  };
}

async function ask(
  { store, bus }: Pick<CallServices, 'store' | 'bus'>,
  job: CallJob,
  question: QuestionView,
  key: QuestionKey,
): Promise<PersonAnswer> {
  const { run, options, effectId: callId, signal } = job;
  signal.throwIfAborted();
  if (options.approve === 'none') return { answered: false, why: 'nobody' };
  const aborted = Promise.withResolvers<never>();
  aborted.promise.catch(() => {});
  const onAbort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  let moved = Promise.withResolvers<void>();
  // Subscribe before reading, so that no signal is missed.
  const leave = bus.listen(run.id, ({ type }) => {
    if (type === 'transition') moved.resolve();
  });
  try {
    const given = await answerTo(key);
    if (given !== undefined) return { answered: true, answer: given };
    if (!isAsking(await newest(), key)) {
      const isTaken = await job.note({ event: { type: 'tool.asked', callId, key, question } });
      if (!isTaken) return { answered: false, why: 'withdrawn' };
    }
    for (;;) {
      const asked = await newest();
      if (!isAsking(asked, key)) return await closed(asked);
      await Promise.race([moved.promise, aborted.promise]);
      moved = Promise.withResolvers();
    }
  } finally {
    leave();
    signal.removeEventListener('abort', onAbort);
  }

  async function newest(): Promise<Question | undefined> {
    const row = await store.query('findConfirmation', { run: run.pk, call: callId });
    return row && questionOf(row);
  }

  async function answerTo(wanted: QuestionKey): Promise<Answer | undefined> {
    const effect = await store.query('findEffect', { run: run.pk, n: callId });
    return (JSON.parse(effect?.input ?? '{}') as Partial<CallInput>).answers?.[wanted];
  }

  async function closed(asked: Question | undefined): Promise<PersonAnswer> {
    const answer = await answerTo(key);
    if (answer !== undefined) return { answered: true, answer };
    const reason = asked?.decision?.reason;
    const why = asked?.status === 'rejected' || asked?.status === 'expired' ? asked.status : 'withdrawn';
    return { answered: false, why, ...(reason !== undefined && { reason }) };
  }
}

function isAsking(asked: Question | undefined, key: QuestionKey): boolean {
  return asked !== undefined && isOpen(asked) && asked.key === key;
}
