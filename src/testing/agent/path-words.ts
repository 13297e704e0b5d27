import { idsIn } from '../../../machines/calls.rules.ts';
import type { RunContext, RunEvent } from '../../../machines/run.types.ts';
import { pathOf } from '../../engine/machine.ts';
import type { NamedAnswer, PathEvent, Point } from './point.ts';
import { scriptedCost } from './run-events.ts';

export const turnWords = 'the turn of the queued run comes';

/** What happens, as a person would say it; null for what no path of an agent tries there. */
export function wordsOf(event: PathEvent, point: Point, fallbacks: number): string | null {
  const { calls, asked, snapshot } = point;
  const context = snapshot.context as RunContext;
  const call = (id: number) => calls.get(id);
  const name = (id: number) => call(id)?.name ?? `call ${id}`;
  const isEarly = isFresh(context) && context.steps <= 1;
  const path = pathOf(snapshot.value);
  const isQueued = path === 'idle';
  const isParked = idsIn(context, 'parked').length > 0;
  switch (event.type) {
    case 'run.start':
      return turnWords;
    case 'timer.queue':
      return 'the turn of the queued run never comes';
    case 'process.died':
      return isEarly && !point.hasDied ? deathWords(point) : null;
    case 'model.done':
      return answerWords(event as NamedAnswer);
    case 'model.failed':
      if (context.steps > 0 || context.care > 0 || context.unseen > 0) return null;
      if (!event.error.retryable) return context.attempt > 1 ? null : 'the provider refuses the call';
      // The next model answers instead, unless one retry is worth more.
      if (context.route < fallbacks && (context.attempt > 1 || context.limits.attempts === 1)) return null;
      if (!event.partial) return 'the provider is busy';
      return context.attempt > 1 ? null : 'the provider fails in the middle of the answer';
    case 'timer.backoff':
      return 'the run tries again';
    case 'model.switched':
      if (context.route >= fallbacks) return null;
      return event.partial
        ? 'the provider fails in the middle of the answer, and the next model takes over'
        : 'the provider is down, and the next model takes over';
    case 'context.tooBig':
      return context.steps + context.unseen + context.empty === 0 && context.attempt <= 1
        ? 'the prompt is too long'
        : null;
    case 'flush.done':
      return 'the memory is written';
    case 'flush.failed':
      return 'the memory cannot be written';
    case 'compact.done':
      return 'the conversation is summarised';
    case 'compact.failed':
      return 'the summary fails';
    case 'tool.done':
      if (point.waiting.has(event.effectId)) return null;
      if (event.inside === 'calls')
        return `the run of ${name(event.effectId)} calls ${call(event.effectId)?.task?.name} and answers`;
      if (!call(event.effectId)?.asks && !asked.has(event.effectId)) return `${name(event.effectId)} returns`;
      // A tool that has asked goes on when its question is settled, and may then return or throw.
      return asked.has(event.effectId) && !idsIn(context, 'asking').includes(event.effectId)
        ? `${name(event.effectId)} ends`
        : null;
    case 'tool.failed':
      if (asked.has(event.effectId) || point.waiting.has(event.effectId)) return null;
      return event.inside ? `the run of ${name(event.effectId)} fails` : `${name(event.effectId)} fails`;
    case 'subrun.parked': {
      const { task } = call(event.callId) ?? {};
      return task?.gate === 'ask' && !asked.has(event.callId)
        ? `the run of ${name(event.callId)} asks about ${task.name}`
        : null;
    }
    case 'subrun.resumed': {
      const verdict = event.inside === 'reject' ? 'rejects' : 'approves';
      return `a person ${verdict} ${call(event.callId)?.task?.name} in the run of ${name(event.callId)}`;
    }
    case 'tool.asked':
      return call(event.callId)?.asks && !asked.has(event.callId) ? `${name(event.callId)} asks` : null;
    case 'tool.uncertain':
      if (idsIn(context, 'asking').includes(event.effectId))
        return `the process dies while ${name(event.effectId)} asks`;
      return call(event.effectId)?.asks ? null : `the process dies after ${name(event.effectId)} has run`;
    case 'confirm.decide':
      return decisionWords(event, point);
    case 'tool.reconcile': {
      const words = { ran: 'says that it ran', retry: 'has it made again', skip: 'leaves it out' };
      return `a person ${words[event.verdict]}`;
    }
    case 'timer.confirm':
      return 'nobody decides in time';
    case 'timer.reconcile':
      return 'nobody says in time what became of it';
    case 'timer.deadline':
      return isEarly && !isParked ? 'the working time is over' : null;
    case 'run.message':
      return isEarly ? `the user sends another message${isQueued ? ' to the queued run' : ''}` : null;
    case 'run.cancel':
      return isEarly ? `the user cancels the ${isQueued ? 'queued ' : ''}run` : null;
    case 'run.resumed': {
      const isUnsafe = idsIn(context, 'started').some((id) => call(id)?.class === 'unsafe');
      const isAtWork = path.startsWith('active.working') && asked.size === 0;
      if (!isEarly || isUnsafe || !isAtWork) return null;
      if (isParked) return 'the process dies while a person is asked';
      if (point.waiting.size > 0) return null;
      const task = idsIn(context, 'started').find((id) => call(id)?.startsRun);
      return task === undefined
        ? 'the process dies'
        : `the process dies while the run of ${name(task)} works`;
    }
    default:
      return null;
  }
}

/** The deaths of a process of which the machine hears nothing: the run waits before them, and after them. */
function deathWords({ snapshot, calls }: Point): string | null {
  const path = pathOf(snapshot.value);
  if (path === 'idle') return 'the process dies while the run is queued';
  if (path === 'active.reconciling') return 'the process dies before a person has said what became of it';
  const context = snapshot.context as RunContext;
  const atWork = idsIn(context, 'started', 'asking');
  // The outcome of a call without harm is found out by making it again, all others are uncertain.
  if (path !== 'active.awaitingConfirm' || atWork.some((id) => calls.get(id)?.class === 'unsafe'))
    return null;
  const [asking] = idsIn(context, 'asking');
  return asking === undefined
    ? 'the process dies before a person has decided'
    : `the process dies while ${calls.get(asking)?.name} asks`;
}

/** Whether nothing has gone wrong so far. */
function isFresh({ errors, unseen, care, empty, attempt }: RunContext): boolean {
  return errors + unseen + care + empty === 0 && attempt <= 1;
}

function decisionWords(
  { callId, verdict }: Extract<RunEvent, { type: 'confirm.decide' }>,
  { snapshot, calls }: Point,
): string | null {
  const call = calls.get(callId);
  const isQuestion = idsIn(snapshot.context as RunContext, 'asking').includes(callId);
  if (verdict === 'modify' && !isQuestion && !call?.mayChange) return null;
  const words = isQuestion
    ? { approve: '', reject: 'declines to answer', modify: 'answers' }
    : { approve: 'approves', reject: 'rejects', modify: 'changes and approves' };
  return `a person ${words[verdict]} ${call?.name}`;
}

function answerWords({ finish, fits, calls, cost, named: samples = [] }: NamedAnswer): string {
  if (calls.length > 0) {
    const names = samples.map(({ name }) => name).join(' and ');
    return cost.inputTokens > scriptedCost.inputTokens
      ? `the model calls ${names} and uses up the budget`
      : `the model calls ${names}`;
  }
  if (finish === 'length') return 'the answer is cut off';
  if (finish === 'refusal') return 'the model refuses';
  if (finish === 'contentFilter') return 'the provider filters the answer';
  return fits === false ? 'the model gives an answer that does not fit' : 'the model answers';
}
