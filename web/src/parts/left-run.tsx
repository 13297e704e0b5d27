import { may } from '../data/connection.ts';
import { useAction } from '../data/use-action.ts';
import { ask } from '../data/use-request.ts';
import { Failure } from './failure.tsx';
import { Chip } from './shape.tsx';
import { t } from './words.ts';

interface LeftRunProps {
  run: { runId: string; status: string };
  /** The chip says already how it stands. */
  isShort?: boolean;
}

/** A run that nothing works on until somebody resumes it: why, and the button that does. */
export function LeftRun({ run: { runId, status }, isShort = false }: LeftRunProps) {
  const { error, act } = useAction();
  return (
    <div class="left-run">
      {!isShort && <Chip state="hold">{leftWord(status)}</Chip>}
      {!isShort && <span>{t.leftMore(status)}</span>}
      <button
        type="button"
        class="btn small"
        disabled={!may('write')}
        onClick={() => void act(() => ask('run.resume', { runId }))}
      >
        {t.goOn}
      </button>
      {error && <Failure error={error} />}
    </div>
  );
}

/** How such a run stands. */
export function leftWord(status: string): string {
  return status === 'unstarted' ? t.unstarted : status === 'decided' ? t.decided : t.interrupted;
}
