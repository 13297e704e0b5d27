import { useState } from 'preact/hooks';
import type { FireView, JobView } from '#src/protocol/views.ts';
import { go, href, runPath } from '../../base/place.ts';
import { type Bar, barsOf, summaryOf, tallest } from './bars.ts';
import { slotText } from './slot-text.ts';
import { t } from './words.ts';

/**
 * What became of the last slots, a bar each. One stop of the keyboard: arrows choose a bar, whose words then stand below with a link to
 * its run.
 */
export function SlotBars({ job, slots }: { job: JobView; slots: readonly FireView[] | undefined }) {
  const [chosen, choose] = useState<number | null>(null);
  if (slots === undefined) return <div class="hist" aria-busy="true" />;
  const bars = barsOf(slots);
  const bar = bars.find(({ slot }) => slot.n === chosen) ?? null;
  const move = (by: number) => {
    const at = bar === null ? (by > 0 ? -1 : bars.length) : bars.indexOf(bar);
    choose(bars[Math.min(bars.length - 1, Math.max(0, at + by))]?.slot.n ?? null);
  };
  const open = (one: Bar | null) => {
    if (one?.slot.runId) go(runPath(one.slot.runId));
  };
  const idOf = (n: number) => `slot ${n} ${job.jobId}`.replaceAll(/\s/g, '-');
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only ends what the pointer began on a bar.
    <div class="hist" onMouseLeave={() => choose(null)}>
      {bars.length > 0 && (
        <div
          class="dots"
          role="listbox"
          tabIndex={0}
          aria-label={t.history(job.jobId)}
          aria-orientation="horizontal"
          aria-activedescendant={bar === null ? undefined : idOf(bar.slot.n)}
          onKeyDown={(event) => {
            const step = { ArrowLeft: -1, ArrowRight: 1, Home: -bars.length, End: bars.length }[event.key];
            if (step !== undefined) move(step);
            else if (event.key === 'Enter') open(bar);
            else return;
            event.preventDefault();
          }}
          onBlur={(event) => {
            const { relatedTarget: to, currentTarget } = event;
            if (!(to instanceof Node && currentTarget.parentElement?.contains(to))) choose(null);
          }}
        >
          {bars.map((one) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the list of bars takes the keys.
            <span
              key={one.slot.n}
              id={idOf(one.slot.n)}
              role="option"
              tabIndex={-1}
              aria-selected={one === bar}
              aria-label={slotText(one.slot)}
              onMouseEnter={() => choose(one.slot.n)}
              onClick={(event) => {
                // A finger has no hover: it chooses first.
                if (event instanceof PointerEvent && event.pointerType === 'mouse') open(one);
                else choose(one.slot.n);
              }}
            >
              <i class={one.kind} style={{ height: `${one.height}px` }} />
            </span>
          ))}
        </div>
      )}
      <p class="cap">{bar === null ? <Caption job={job} bars={bars} /> : <Chosen slot={bar.slot} />}</p>
    </div>
  );
}

function Chosen({ slot }: { slot: FireView }) {
  return (
    <>
      {slotText(slot)}
      {slot.runId !== null && (
        <>
          {' '}
          <a class="link" href={href(runPath(slot.runId))}>
            {t.openRun}
          </a>
        </>
      )}
    </>
  );
}

function Caption({ job, bars }: { job: JobView; bars: readonly Bar[] }) {
  if (bars.length === 0) return t.hasNotRun;
  const { done, failed, cancelled, missed, others, failure } = summaryOf(bars);
  if (done === bars.length) return t.allDone(done);
  const rule = { skip: t.ruleSkip, once: t.ruleOnce, all: t.ruleAll }[job.misfire];
  const parts = [
    failed > 0 && (
      <span key="failed">
        <b class="f">{t.nFailed(failed)}</b>
        {failure !== null && t.because(failure)}
      </span>
    ),
    missed > 0 && (
      <span key="missed">
        <b>{t.nMissed(missed)}</b>, {rule}
      </span>
    ),
    cancelled > 0 && <span key="cancelled">{t.nCancelled(cancelled)}</span>,
    others > 0 && <span key="others">{t.nOthers(others)}</span>,
  ];
  return <span class="causes">{parts}</span>;
}

/** What the bars mean. */
export function BarsLegend() {
  return (
    <ul class="legend">
      <li>
        <span class="dots" aria-hidden="true">
          <i class="done" style={{ height: '6px' }} />
          <i class="done" style={{ height: '11px' }} />
        </span>
        {t.done}
      </li>
      {(['failed', 'missed', 'none'] as const).map((kind) => (
        <li key={kind}>
          <span class="dots" aria-hidden="true">
            <i class={kind} style={{ height: `${kind === 'none' ? 8 : Math.round(tallest / 2)}px` }} />
          </span>
          {{ failed: t.failed, missed: t.missed, none: t.notRun }[kind]}
        </li>
      ))}
    </ul>
  );
}
