import '../inspector.css';
import './actor.css';
import { type ReadonlySignal, useComputed } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { PageProps } from '../../../base/page-props.ts';
import { href } from '../../../base/place.ts';
import { type InspectedActor, inspectedActor } from '../../../data/inspected-actor.ts';
import { Failure } from '../../../parts/failure.tsx';
import { type Figures, figuresOf } from '../figures.ts';
import { Panes } from '../panes/panes.tsx';
import { MarkedChart } from '../run-chart.tsx';
import { TransitionTable } from '../table/transition-table.tsx';
import { Timeline } from '../timeline/timeline.tsx';
import { t as page } from '../words.ts';
import { ActorHeader } from './actor-header.tsx';
import { ActorReadout } from './actor-readout.tsx';
import { t } from './words.ts';

/** An actor of a program of the user, in the inspector of runs: without what the messages of XState do not tell. */
export function ActorPage({ rest }: PageProps) {
  const [actorId = ''] = rest;
  const actor = useMemo(() => inspectedActor(actorId), [actorId]);
  useEffect(() => actor.follow(), [actor]);
  if (actor.trace.value !== null) return <ActorPanes actor={actor} />;
  const error = actor.error.value;
  return (
    <main class="page wrap" aria-busy={error === null}>
      <h1>{page.title}</h1>
      {error === null && <p class="loading">{t.loading}</p>}
      {error !== null && (
        <div class="empty">
          <Failure error={error} />
          <a class="btn" href={href('/actors')}>
            {t.all}
          </a>
        </div>
      )}
    </main>
  );
}

function ActorPanes({ actor }: { actor: InspectedActor }) {
  const figures = useComputed(() => actor.trace.value && figuresOf(actor.trace.value));
  return (
    <Panes
      header={<ActorHeader actor={actor} />}
      table={<TransitionTable run={actor} figures={figures} />}
      chart={<ActorChart actor={actor} figures={figures} />}
      readout={<ActorReadout actor={actor} />}
      timeline={<Timeline run={actor} figures={figures} />}
    />
  );
}

interface ActorChartProps {
  actor: InspectedActor;
  figures: ReadonlySignal<Figures | null>;
}

function ActorChart({ actor, figures }: ActorChartProps) {
  const chart = actor.chart.value;
  if (chart === null) return <p class="loading">{t.loadingChart}</p>;
  const { definition, layout, refused } = chart;
  if (definition === null || layout === null) return <p class="loading">{t.noChart(refused ?? '')}</p>;
  return <MarkedChart run={actor} figures={figures} layout={layout} definition={definition} />;
}
