import { useState } from 'preact/hooks';
import { may } from '../data/connection.ts';
import { asClientError, ask } from '../data/use-request.ts';
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
  const [failed, fail] = useState<unknown>(null);
  return (
    <div class="left-run">
      {!isShort && <Chip state="hold">{leftWord(status)}</Chip>}
      {!isShort && <span>{t.leftMore(status)}</span>}
      <button
        type="button"
        class="btn small"
        disabled={!may('write')}
        onClick={() => ask('run.resume', { runId }).then(() => fail(null), fail)}
      >
        {t.goOn}
      </button>
      {failed !== null && <Failure error={asClientError(failed)} />}
    </div>
  );
}

/** How such a run stands. */
export function leftWord(status: string): string {
  return status === 'unstarted' ? t.unstarted : status === 'decided' ? t.decided : t.interrupted;
}
