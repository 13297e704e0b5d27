import { useShortcuts } from '../../../base/keys.ts';
import { place, setQuery } from '../../../base/place.ts';
import { may } from '../../../data/connection.ts';
import { type InspectedRun, isAgentRun, isWorkflow } from '../../../data/inspected-run.ts';
import { toBeChosen } from './choose-run.tsx';
import { ExportMenu } from './export-menu.tsx';
import { ForkDialog, openFork } from './fork-dialog.tsx';
import { t } from './words.ts';

/** Compare, Export, and Fork from the shown transition. */
export function RunActions({ run }: { run: InspectedRun }) {
  const seq = run.seq.value;
  // The schedule of a job is no run that goes on.
  const mayFork = isAgentRun(run) || isWorkflow(run);
  const isComparing = place.value.query.has('with');
  const compare = () => setQuery({ with: isComparing ? null : toBeChosen });
  useShortcuts([
    { keys: 'C', words: t.compare, act: compare },
    { keys: 'F', words: t.fork(seq), act: () => mayFork && openFork(run, run.seq.peek()) },
  ]);
  return (
    <div class="acts">
      <button type="button" class="btn wide" aria-pressed={isComparing} onClick={compare}>
        {t.compare}
      </button>
      <ExportMenu run={run} />
      {mayFork && (
        <button
          type="button"
          class="btn primary"
          disabled={!may('write') || seq < 1}
          onClick={() => openFork(run, seq)}
        >
          {t.fork(seq)}
        </button>
      )}
      <ForkDialog />
    </div>
  );
}
