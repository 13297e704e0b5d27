import './tour.css';
import { useEffect, useRef, useState } from 'preact/hooks';
import { href, place } from '../../base/place.ts';
import { client } from '../../data/connection.ts';
import { Shape } from '../../parts/shape.tsx';
import { closeGuide } from './tour.ts';
import {
  type ExplainedState,
  firstVisits,
  isExplained,
  lessonOf,
  nameOf,
  nextVisit,
  type Visit,
  visitAt,
  visited,
} from './visits.ts';
import { t } from './words.ts';

/** So long a state that is new stays explained, though the run may have left it. */
const dwellMs = 2_000;

/** The guide of one run: explains the state that it is in, or another one that the person chose. */
export function Guide({ runId }: { runId: string }) {
  const visits = useVisits(runId);
  const [index, isPast] = useShownIndex(visits);
  const [chosen, choose] = useState<Visit | null>(null);
  /** Phones show the explanation when they are asked to: the conversation needs the room. */
  const [isOpen, open] = useState(false);
  const visit = chosen ?? visits[index];
  if (!visit || !isExplained(visit.state)) return null;
  return (
    <aside class={isOpen ? 'guide open' : 'guide'} data-s={visit.state} aria-label={t.guide}>
      <div class="guide-head">
        <b>{t.guide}</b>
        <fieldset class="guide-states">
          <legend class="sr">{t.states}</legend>
          {firstVisits(visits).map((one) => (
            <button
              key={one.state}
              type="button"
              class="st"
              data-s={one.state}
              aria-pressed={one.state === visit.state}
              ref={one.state === visit.state ? bringIntoView : null}
              onClick={() => choose(one)}
            >
              <Shape state={one.state} />
              {nameOf(one)}
            </button>
          ))}
        </fieldset>
        {chosen && !isPast && (
          <button type="button" class="btn small" onClick={() => choose(null)}>
            {t.follow}
          </button>
        )}
        <button
          type="button"
          class="btn small ghost guide-more"
          aria-expanded={isOpen}
          onClick={() => open(!isOpen)}
        >
          {t.more}
        </button>
        <button type="button" class="btn small ghost" onClick={() => closeGuide()}>
          {t.close}
        </button>
      </div>
      <Explanation state={visit.state} />
    </aside>
  );
}

/** On phones the states are a row that scrolls. */
function bringIntoView(button: HTMLButtonElement | null): void {
  button?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
}

function Explanation({ state }: { state: ExplainedState }) {
  const lesson = lessonOf(state);
  return (
    <dl class="guide-text">
      <div>
        <dt>{t.now}</dt>
        <dd>{t[`${state}Now`]}</dd>
      </div>
      <div>
        <dt>{t.saved}</dt>
        <dd>{t[`${state}Saved`]}</dd>
      </div>
      <div>
        <dt>{t.try}</dt>
        <dd>
          {t[`${state}Try`]}{' '}
          <a class="link" href={href(`/learn/${lesson}`)}>
            {t.lesson(lesson)}
          </a>
        </dd>
      </div>
    </dl>
  );
}

/** The states of a run in their order, as they come. */
function useVisits(runId: string): readonly Visit[] {
  const [visits, show] = useState<readonly Visit[]>([]);
  useEffect(() => {
    let list: readonly Visit[] = [];
    let frame = 0;
    const events = client().watch(runId, { afterSeq: 0 });
    const follow = async () => {
      for await (const event of events) {
        if (event.event !== 'state.changed') continue;
        if (list.length === 0) list = visited(list, 0, event.payload.from);
        list = visited(list, event.seq, event.payload.to);
        cancelAnimationFrame(frame);
        frame = requestAnimationFrame(() => show(list));
      }
    };
    // The chat beside it says when the run cannot be read.
    follow().catch(() => {});
    return () => {
      cancelAnimationFrame(frame);
      void events.return?.();
    };
  }, [runId]);
  return visits;
}

/**
 * The visit to explain, and whether the slider of the inspector chose it. A state that is new to the reader stays for a moment
 * before the next one comes.
 */
function useShownIndex(visits: readonly Visit[]): [number, boolean] {
  const [index, show] = useState(-1);
  const movedAt = useRef(0);
  const last = visits.length - 1;
  useEffect(() => {
    if (last <= index) return;
    const move = () => {
      movedAt.current = Date.now();
      // At first, the state that the run is in now.
      show(index < 0 ? last : nextVisit(visits, index));
    };
    const timer = setTimeout(move, Math.max(0, movedAt.current + dwellMs - Date.now()));
    return () => clearTimeout(timer);
  }, [visits, index]);
  const seq = Number(place.value.query.get('seq') ?? 0);
  return seq > 0 ? [visitAt(visits, seq), true] : [index, false];
}
