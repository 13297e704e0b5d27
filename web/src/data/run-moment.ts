import { useEffect, useState } from 'preact/hooks';
import type { PendingView } from '../../../src/protocol/run-view.ts';
import { ask } from './use-request.ts';

/** A message of a conversation, as the log has it. */
export interface LoggedMessage {
  role: 'user' | 'assistant' | 'tool' | 'summary';
  text: string;
  runId: string;
  seq: number;
  inPrompt: boolean;
  toolCalls?: { callId: string; name: string; arguments: string }[];
  callId?: string;
  name?: string;
  status?: string;
}

/** A command that the run accepted at a moment. */
export interface LegalCommand {
  type: string;
  callId?: string;
  verdict?: string;
}

/** A run as it stood after a transition, as far as the trace does not tell. */
export interface RunMoment {
  seq: number;
  path: string;
  ended: boolean;
  messages: LoggedMessage[];
  pending: PendingView[];
  effects: {
    effect: number;
    name: string;
    status: string;
    callId?: string;
    tool?: string;
    service?: string;
  }[];
  timers: { event: string; dueAt: number; label?: string }[];
  legal: LegalCommand[];
}

/** A slider that moves asks for the moment where it rests. */
const restMs = 140;

/** The moment after a transition: null while it is read, and while the slider moves. */
export function useMoment(runId: string, seq: number): RunMoment | null {
  const [moment, show] = useState<RunMoment | null>(null);
  useEffect(() => {
    if (seq < 1) return;
    let isCurrent = true;
    const timer = setTimeout(() => {
      ask('run.at', { runId, seq, messages: 'transition' }).then(
        (answer) => {
          if (isCurrent) show(answer as unknown as RunMoment);
        },
        // A run that this program cannot fold still has its log.
        () => {
          if (isCurrent) show(null);
        },
      );
    }, restMs);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [runId, seq]);
  return moment?.seq === seq ? moment : null;
}
