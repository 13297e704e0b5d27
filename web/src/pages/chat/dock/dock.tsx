import './dock.css';
import { useEffect, useRef } from 'preact/hooks';
import type { ClientRun } from '#src/client/index.ts';
import type { Held } from '../../../data/conversation/held.ts';
import { isLeft } from '../../../data/runs.ts';
import { late } from '../../../parts/late.tsx';
import { LeftRun } from '../../../parts/left-run.tsx';
import { useAsking } from '../../../parts/question/asking.ts';
import { Questions } from '../../../parts/question/questions.tsx';
import { Composer } from './composer/composer.tsx';

/** Only who opens a workflow sees it. */
const FlowDock = late(async () => (await import('./flow/flow-dock.tsx')).FlowDock);

/** Most conversations are held by their agent. */
const StaffBar = late(async () => (await import('./staff/staff-bar.tsx')).StaffBar);

/** What the session takes from a person besides answers. */
export type Taken = 'messages' | 'events' | 'nothing';

interface DockProps {
  /** Null for a conversation that is to begin. */
  sessionId: string | null;
  /** The newest run of the session. */
  run: ClientRun | null;
  takes: Taken;
  /** A person of the staff has the session, or is asked for. */
  held: Held | null;
  /** It was taken over or given back. */
  changed(): void;
  /** The gateway took a message: the session may be a new one. */
  started(sessionId: string, runId: string): void;
}

/** The bottom of the chat: what needs the person is always here, never over the text; and where the person writes. */
export function Dock({ sessionId, run, takes, held, changed, started }: DockProps) {
  const asking = useAsking(run);
  const dock = useRef<HTMLDivElement>(null);
  const { question } = asking;
  const wasAsking = useRef(false);
  useEffect(() => {
    const isFree = document.activeElement === null || document.activeElement === document.body;
    // A person who decided by keys goes on by keys.
    if (wasAsking.current && question === null && isFree)
      dock.current?.querySelector<HTMLElement>('.composer textarea')?.focus({ preventScroll: true });
    wasAsking.current = question !== null;
  });
  // Staff that looks on would speak as the user.
  const mayWrite = held === null || held.isMine || !held.mayCome;
  return (
    <div ref={dock} class="dock">
      <div class="inner">
        <Questions asking={asking} />
        {held !== null && sessionId !== null && <StaffBar {...{ sessionId, held, changed }} />}
        {takes === 'messages' && run !== null && isLeft(run) && <LeftRun run={run} />}
        {takes !== 'messages' && asking.top !== null && <FlowDock run={asking.top} />}
        {takes === 'messages' && mayWrite && (
          <Composer
            sessionId={sessionId}
            run={run}
            held={held}
            asks={question === null ? null : question.kind === 'reconcile' ? 'reconcile' : 'other'}
            started={started}
            said={() => {
              // A message withdraws all questions of its run but that of a call in doubt.
              if (question !== null && question.kind !== 'reconcile' && asking.run?.runId === run?.runId)
                asking.settled(question);
            }}
          />
        )}
      </div>
    </div>
  );
}
