import { useState } from 'preact/hooks';
import { isLeft } from '../../data/runs.ts';
import { LeftRun } from '../../parts/left-run.tsx';
import type { FoldedRun } from './filters.ts';
import { RunLine } from './run-line.tsx';
import { t } from './words.ts';

/** A run with what a person may press when it is at rest, and the runs below it once they are asked for. */
export function Folded({ folded: { run, below }, now }: { folded: FoldedRun; now: number }) {
  const [isOpen, open] = useState(false);
  return (
    <>
      <div class={isLeft(run) ? 'run-left' : undefined}>
        <RunLine run={run} now={now} />
        {isLeft(run) && <LeftRun run={run} isShort />}
      </div>
      {below.length > 0 && (
        <p class="run-below">
          <button type="button" class="btn small" aria-expanded={isOpen} onClick={() => open(!isOpen)}>
            {t.below(below.length)}
          </button>
        </p>
      )}
      {isOpen && (
        <div class="runs-below">
          {below.map((one) => (
            <div key={one.runId}>
              <RunLine run={one} now={now} />
            </div>
          ))}
        </div>
      )}
    </>
  );
}
