import { useEffect, useState } from 'preact/hooks';
import { useRequest } from '../data/use-request.ts';
import { isGuideClosed, seenTour, tourModel } from '../pages/tour/tour.ts';
import { late } from '../parts/late.tsx';

/** Most visits have no guide, so its words are loaded when there is one. */
const Guide = late(async () => (await import('../pages/tour/guide.tsx')).Guide);

interface GuideSlotProps {
  /** The page that is open, and the rest of its path. */
  name: string;
  rest: readonly string[];
}

/** Above a page that shows a run of the guided demo: its guide, unless a person closed it. */
export function GuideSlot({ name, rest }: GuideSlotProps) {
  const id = rest[0] ?? null;
  const sessionId = name === 'chat' ? id : null;
  const newest = useNewestRun(sessionId);
  const run = newest?.model === tourModel ? newest.runId : null;
  useEffect(() => {
    if (run !== null) seenTour.value = run;
  }, [run]);
  const shown = name === 'runs' && id === seenTour.value ? id : run;
  if (shown === null || isGuideClosed.value) return null;
  return <Guide key={shown} runId={shown} />;
}

/** The newest run of a session. Only after one of the demo another one is awaited: the guide then goes. */
function useNewestRun(sessionId: string | null): { runId: string; model?: unknown } | null {
  const [isTour, setTour] = useState(false);
  const input = sessionId === null ? null : { sessionId, limit: 1 };
  const { data } = useRequest('run.list', input, isTour ? { everyMs: 4_000 } : {});
  const run = data?.runs[0] ?? null;
  const isOfTour = run?.model === tourModel;
  useEffect(() => setTour(isOfTour), [isOfTour]);
  return run;
}
