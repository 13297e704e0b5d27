import type { LoggedTransition } from '../../engine/machine.ts';
import { isReserved } from '../../protocol/enums.ts';
import { isObject } from '../../protocol/json.ts';
import type { RunEvent, RunEventPayloads } from '../../protocol/run-events.ts';
import { queuedState } from '../../store/stored-run.ts';
import type { Beside } from './projector.ts';
import { asked, endedWith, eventsOf, resolved, type Told } from './run-facts.ts';

/** A workflow, and the runs that it is a part of. */
interface ProjectedFlow {
  runId: string;
  sessionId: string;
  workflow: string;
  parent: { parentRunId?: string; parentCall?: string };
}

/**
 * Makes the events of a workflow's run out of its log: its beginning, its states and its end. A chart's events may have
 * the names of events of agents' runs, so they are not read as those.
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
  next(transition: LoggedTransition, { questions, end, label }: Beside): RunEvent[] {
    const { path, event } = transition;
    const from = this.#path;
    this.#path = path;
    // The question whether a step ran whose process died.
    const question = this.mayAsk(transition)
      ? questions.find(({ call, askedAt }) => call === event.effectId && askedAt === transition.at)
      : undefined;
    return eventsOf(transition, [
      ...(event.type === 'run.start' ? [this.#begun()] : []),
      { event: 'state.changed', payload: { from, to: path, event: event.type } },
      ...came(transition, label),
      ...decided(event),
      ...(question ? asked(question) : []),
      ...(end ? [endedWith(end, end.text ?? '')] : []),
    ]);
  }

  /** Whether a transition asks a person. */
  mayAsk({ event }: LoggedTransition): boolean {
    return event.type === 'service.uncertain';
  }

  #begun(): Told {
    const { sessionId, workflow, parent } = this.#run;
    return { event: 'lifecycle.start', payload: { sessionId, agentName: '', workflow, ...parent } };
  }
}

/** What its chart got. What Detent notes of a service, and what people decide, is told otherwise. */
function came({ event, by }: Pick<LoggedTransition, 'event' | 'by'>, name = event.type): Told[] {
  const { type, effectId: _, at: __, error: failed, output, ...body } = event;
  const told = (payload: RunEventPayloads['workflow.event']): Told[] => [
    { event: 'workflow.event', payload },
  ];
  if (type === 'service.done')
    return told({ name, from: 'service', ...(output !== undefined && { content: JSON.stringify(output) }) });
  if (type === 'service.failed' && isObject(failed)) {
    const { code, message, retryable } = failed;
    const error = { code: String(code), message: String(message), retryable: retryable === true };
    return told({ name, from: 'service', error });
  }
  if (/^(xstate\.after|flow\.raise)\./.test(type)) return told({ name, from: 'timer' });
  if (isReserved(type)) return [];
  const payload = {
    ...body,
    ...(failed !== undefined && { error: failed }),
    ...(output !== undefined && { output }),
  };
  const content = Object.keys(payload).length === 0 ? {} : { content: JSON.stringify(payload) };
  return told({ name, from: 'outside', ...content, ...(by !== undefined && { sentBy: by }) });
}

/** What a person says of a step whose process died, or that the time for it is over. */
function decided({ type, callId, verdict }: LoggedTransition['event']): Told[] {
  const [, expired] = /^flow\.unknown\.(\d+)$/.exec(type) ?? [];
  if (expired !== undefined)
    return resolved({ callId: Number(expired), verdict: 'expired', kind: 'reconcile' });
  if (type !== 'tool.reconcile' || typeof callId !== 'number') return [];
  return resolved({ callId, verdict: String(verdict), kind: 'reconcile' });
}
