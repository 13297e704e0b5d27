import './workflows.css';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Output } from '#src/client/index.ts';
import type { PageProps } from '../../base/page-props.ts';
import { useRequest } from '../../data/use-request.ts';
import { MachineChart } from '../../parts/chart/machine-chart.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Headline } from '../../parts/headline.tsx';
import { visible, visibleProse } from '../../parts/visible.ts';
import { StartForm } from './start-form.tsx';
import { t } from './words.ts';

type Workflow = Output<'workflow.list'>['workflows'][number];

/** The statecharts of the host's own, each with a form that starts it. */
export function WorkflowsPage({ rest: [chosen] }: PageProps) {
  const { data, error, reload } = useRequest('workflow.list', {});
  return (
    <main class="page workflows-page">
      <div class="wrap">
        <Headline title={t.title} about={t.about} />
        {error && <Failure error={error} retry={reload} />}
        {data && data.workflows.length > 0 && (
          <ul class="panel flow-list">
            {data.workflows.map((workflow) => (
              <li key={workflow.id}>
                <Entry
                  workflow={workflow}
                  isAlone={data.workflows.length === 1 || workflow.id === chosen}
                  isChosen={workflow.id === chosen}
                />
              </li>
            ))}
          </ul>
        )}
        {data?.workflows.length === 0 && (
          <p class="empty">
            {t.none} <code>{'createDetent({ workflows })'}</code>
          </p>
        )}
      </div>
    </main>
  );
}

interface EntryProps {
  workflow: Workflow;
  /** There is no other, or the address names it: its chart is shown at once. */
  isAlone: boolean;
  /** The address names it. */
  isChosen: boolean;
}

function Entry({
  workflow: { id, version, description, input, events, services },
  isAlone,
  isChosen,
}: EntryProps) {
  const [isOpen, open] = useState(isAlone);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (isChosen) heading.current?.scrollIntoView({ block: 'start' });
  }, [isChosen]);
  return (
    <>
      <h2 ref={heading}>
        <span class="mono">{visible(id)}</span> <span class="dim">{t.version(version)}</span>
      </h2>
      {description !== '' && <p>{visibleProse(description)}</p>}
      <dl class="facts">
        <dt>{t.events}</dt>
        <dd class="mono">{visible(events.join(', ')) || t.noEvents}</dd>
        <dt>{t.services}</dt>
        <dd class="mono">
          {visible(services.map((one) => `${one.id} (${one.kind})`).join(', ')) || t.noEvents}
        </dd>
      </dl>
      <details open={isOpen} onToggle={({ currentTarget }) => open(currentTarget.open)}>
        <summary>{t.chart}</summary>
        {isOpen && <MachineChart name={`workflow:${id}`} version={version} isOwn={false} />}
      </details>
      <StartForm id={id} input={input} />
    </>
  );
}
