import { useRef } from 'preact/hooks';
import { saveFile } from '../../../base/save-file.ts';
import type { InspectedRun } from '../../../data/inspected-run.ts';
import { runEvents } from '../../../data/run-events.ts';
import { useAction } from '../../../data/use-action.ts';
import { ask } from '../../../data/use-request.ts';
import { Failure } from '../../../parts/failure.tsx';
import { pngOf, svgText } from './export-chart.ts';
import { t } from './words.ts';

const kinds = ['svg', 'png', 'json', 'mermaid'] as const;

type Kind = (typeof kinds)[number];

/** Files of the run: its chart as it is shown, the run itself, the chart as text. */
export function ExportMenu({ run }: { run: InspectedRun }) {
  const menu = useRef<HTMLDivElement>(null);
  const { error, act } = useAction();
  const press = async (kind: Kind) => {
    if (await act(() => save(kind, run))) menu.current?.hidePopover();
  };
  return (
    <>
      <button type="button" class="btn wide" popovertarget="export-menu">
        {t.export}
      </button>
      <div ref={menu} id="export-menu" popover="auto" class="export-menu">
        <p class="label">{t.exportAbout}</p>
        {kinds.map((kind) => (
          <button key={kind} type="button" class="btn ghost" onClick={() => press(kind)}>
            {t[kind]}
          </button>
        ))}
        {error && <Failure error={error} />}
      </div>
    </>
  );
}

async function save(kind: Kind, run: InspectedRun): Promise<void> {
  const trace = run.trace.peek();
  const name = `${run.runId}-${run.seq.peek()}`;
  if (kind === 'json') {
    const events = await runEvents(run.runId);
    const text = JSON.stringify({ trace, events }, null, 2);
    saveFile(`${run.runId}.json`, new Blob([text], { type: 'application/json' }));
  } else if (kind === 'mermaid') {
    const { name: machine, version } = trace?.machine ?? {};
    const { mermaid } = (await ask('machine.get', { name: machine, version })) as { mermaid?: string };
    saveFile(`${machine}.mmd`, new Blob([mermaid ?? ''], { type: 'text/plain' }));
  } else {
    const svg = document.querySelector<SVGSVGElement>('.chartpane svg');
    if (!svg) return;
    const text = svgText(svg);
    if (kind === 'svg') saveFile(`${name}.svg`, new Blob([text], { type: 'image/svg+xml' }));
    else saveFile(`${name}.png`, await pngOf(text));
  }
}
