import type { LoggedTransition } from '../../engine/logged-transition.ts';
import type { RunEvent } from '../../protocol/run-events.ts';
import { callName } from '../../records/call-id.ts';
import { queuedState } from '../../records/workflow-run.ts';
import type { Beside, ProjectedRun } from './projector.ts';
import { askedIn, endedWith, eventsOf, type Told } from './run-facts.ts';

/** A workflow, and the runs that it is a part of. */
interface ProjectedFlow extends Pick<ProjectedRun, 'runId' | 'sessionId'> {
  workflow: string;
  parent: { parentRunId?: string; parentCall?: string };
}

/**
 * Makes the events of a workflow's run out of its log: its beginning, its states and its end. A chart's events may be called
 * as those of an agent's run, so none is taken for one.
 */
export class FlowProjector {
  readonly #run: ProjectedFlow;
  #path: string;

  /** @param from the state that the first transition leaves. */
  constructor(run: ProjectedFlow, from: string = queuedState) {
    this.#run = run;
    this.#path = from;
  }

  /** The events of the next transition, in the order in which they happened; at least one. */
  next(transition: LoggedTransition, { questions, end }: Beside): RunEvent[] {
    const { path, event } = transition;
    const from = this.#path;
    this.#path = path;
    return eventsOf(transition, [
      ...(event.type === 'run.start' ? [this.#begun()] : []),
      { event: 'state.changed', payload: { from, to: path, event: event.type } },
      ...decided(event),
      ...asked(transition, questions),
      ...(end ? [endedWith(end, end.text ?? '')] : []),
    ]);
  }

  #begun(): Told {
    const { sessionId, workflow, parent } = this.#run;
    return { event: 'lifecycle.start', payload: { sessionId, agentName: '', workflow, ...parent } };
  }
}

/** A person is asked whether a step ran whose process died. */
function asked({ event, at }: LoggedTransition, questions: Beside['questions']): Told[] {
  const question = questions.find(({ call, askedAt }) => call === event.effectId && askedAt === at);
  if (event.type !== 'service.uncertain' || !question) return [];
  const { kind } = question;
  if (kind === 'question' || kind === 'client') return [];
  return [{ event: 'tool.confirm_request', payload: { ...askedIn(question), kind } }];
}

function decided({ type, callId, verdict }: LoggedTransition['event']): Told[] {
  const [, expired] = /^flow\.unknown\.(\d+)$/.exec(type) ?? [];
  if (expired !== undefined) return [resolved(Number(expired), 'expired')];
  if (type !== 'tool.reconcile' || typeof callId !== 'number') return [];
  return [resolved(callId, String(verdict))];
}

function resolved(call: number, verdict: string): Told {
  return { event: 'tool.confirm_resolved', payload: { callId: callName(call), verdict } };
}

/** Whether a transition of a workflow asks a person. */
export function mayAskInFlow({ event }: LoggedTransition): boolean {
  return event.type === 'service.uncertain';
}
