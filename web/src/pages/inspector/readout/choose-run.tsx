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

/** The run to compare with: the original of a fork and its own forks come first, then those with the same first words. */
export function ChooseRun({ run }: { run: InspectedRun }) {
  const { data } = useRequest('run.list', { limit: 200 });
  const own = useRequest('run.list', { words: run.runId, limit: 1 });
  const mine = own.data?.runs[0];
  const from = mine?.forkedFrom?.runId;
  const original = useRequest('run.list', from === undefined ? null : { words: from, limit: 1 });
  const [id, type] = useState('');
  const all = [...(original.data?.runs ?? []), ...(data?.runs ?? [])];
  const others = [...new Map(all.map((one) => [one.runId, one])).values()].filter(
    ({ runId }) => runId !== run.runId,
  );
  const kin = (one: (typeof others)[number]) =>
    one.runId === from ? 0 : one.forkedFrom?.runId === run.runId ? 1 : one.prompt === mine?.prompt ? 2 : 3;
  const shown = others.toSorted((a, b) => kin(a) - kin(b)).slice(0, 12);
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
        {shown.map(({ runId, status, createdAt, forkedFrom, ...words }) => (
          <li key={runId}>
            <button type="button" onClick={() => setQuery({ with: runId })}>
              <Chip plain state={keyOfStatus(status)} />
              <span class="cut">{runTitle(words)}</span>
              <span class="dim">{shortTime(createdAt)}</span>
              <code class="dim">{shortId(runId)}</code>
              {runId === from && <span class="dim kin">{t.original(mine?.forkedFrom?.seq ?? 0)}</span>}
              {forkedFrom?.runId === run.runId && <span class="dim kin">{t.forkOf(forkedFrom.seq)}</span>}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
