import { useState } from 'preact/hooks';
import { shortId, shortTime } from '../../../base/format.ts';
import { setQuery } from '../../../base/place.ts';
import type { InspectedRun } from '../../../data/inspected-run.ts';
import { useRequest } from '../../../data/use-request.ts';
import { runTitle } from '../../../parts/run-title.ts';
import { Chip } from '../../../parts/shape.tsx';
import { keyOfStatus } from '../../../parts/states.ts';
import { t } from './words.ts';

/** In the address, while no run is chosen. */
export const toBeChosen = 'choose';

/** The run to compare with: those with the same first words come first, as forks and repeats have them. */
export function ChooseRun({ run }: { run: InspectedRun }) {
  const { data } = useRequest('run.list', { limit: 200 });
  const [id, type] = useState('');
  const all = data?.runs ?? [];
  const mine = all.find(({ runId }) => runId === run.runId);
  const others = all.filter(({ runId }) => runId !== run.runId);
  const isLike = ({ prompt }: { prompt: string }) => prompt === mine?.prompt;
  const shown = [...others.filter(isLike), ...others.filter((one) => !isLike(one))].slice(0, 12);
  return (
    <section>
      <div class="secthead">
        <h2>{t.chooseRun}</h2>
        <button type="button" class="btn small" onClick={() => setQuery({ with: null })}>
          {t.endCompare}
        </button>
      </div>
      <form
        class="sender"
        onSubmit={(event) => {
          event.preventDefault();
          if (id.trim() !== '') setQuery({ with: id.trim() });
        }}
      >
        <input
          class="field mono"
          aria-label={t.otherId}
          placeholder={t.otherId}
          value={id}
          onInput={(event) => type(event.currentTarget.value)}
        />
        <button type="submit" class="btn small primary">
          {t.compareGo}
        </button>
      </form>
      <ul class="choose-run">
        {shown.map(({ runId, status, createdAt, ...words }) => (
          <li key={runId}>
            <button type="button" onClick={() => setQuery({ with: runId })}>
              <Chip plain state={keyOfStatus(status)} />
              <span class="cut">{runTitle(words)}</span>
              <span class="dim">{shortTime(createdAt)}</span>
              <code class="dim">{shortId(runId)}</code>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
