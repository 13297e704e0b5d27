import { useEffect, useState } from 'preact/hooks';
import type { RunMoment } from './answers.ts';
import { ask } from './use-request.ts';

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
          if (isCurrent) show(answer);
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
