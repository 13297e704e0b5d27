import { type ReadonlySignal, useSignal, useSignalEffect } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { duration } from '../../../base/format.ts';
import type { Inspected } from '../../../data/inspected.ts';
import { eventWords } from '../../../data/run-trace.ts';
import { Shape } from '../../../parts/shape.tsx';
import { visible } from '../../../parts/visible.ts';
import type { Figures } from '../figures.ts';
import { t } from '../words.ts';
import { rowHeight, rowsToShow, scrolledTo } from './rows.ts';

/** More than there are rows at a time. */
const ring = 128;

interface TransitionTableProps {
  run: Inspected;
  figures: ReadonlySignal<Figures | null>;
}

/** Every transition a row. Only the rows in sight are made: a run may have thousands. */
export function TransitionTable({ run, figures }: TransitionTableProps) {
  const box = useRef<HTMLElement>(null);
  const isMoving = useRef(false);
  const view = useSight(run, box);
  // The focus goes with the keys, once the row is there.
  useEffect(() => {
    if (!isMoving.current) return;
    isMoving.current = false;
    box.current?.querySelector<HTMLElement>('[aria-current] button')?.focus({ preventScroll: true });
  });

  const transitions = run.trace.value?.transitions ?? [];
  const seq = run.seq.value;
  const forgotten = run.forgotten.value;
  const { first, last } = rowsToShow(view.value.top, view.value.height, transitions.length);
  const keys = figures.value?.keys ?? [];

  /** The row of the shown transition is the one that Tab reaches, if it is in sight. */
  const reached = seq > first && seq <= last ? seq : first + 1;

  function onKeyDown(event: KeyboardEvent): void {
    const page = Math.max(1, Math.floor(view.peek().height / rowHeight) - 2);
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page }[event.key];
    if (by === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    run.step(by);
    isMoving.current = true;
  }

  function onClick({ target }: MouseEvent): void {
    const row = (target as Element).closest<HTMLElement>('tr[data-seq]');
    if (row) run.show(Number(row.dataset.seq));
  }

  return (
    <section class="log" aria-label={t.transitions} ref={box}>
      <table
        aria-rowcount={transitions.length + 1}
        style={{ '--digits': String(String(transitions.length + forgotten).length) }}
        onClick={onClick}
        onKeyDown={onKeyDown}
      >
        <thead>
          <tr aria-rowindex={1}>
            <th scope="col">seq</th>
            <th scope="col">{t.event}</th>
            <th scope="col">{t.after}</th>
          </tr>
        </thead>
        <tbody>
          <Space rows={first} />
          {transitions.slice(first, last).map(({ seq: row, at, event, label }) => {
            const before = transitions[row - 2];
            const key = keys[row - 1] ?? 'decide';
            return (
              <tr
                // A ring: what scrolls out at one end comes in at the other, and a jump makes no elements.
                key={row % ring}
                data-seq={row}
                data-s={key}
                aria-rowindex={row + 1}
                aria-current={row === seq ? 'step' : undefined}
                class={row > seq ? 'future' : undefined}
              >
                <td>{row + forgotten}</td>
                <td>
                  <button type="button" class="ev" tabIndex={row === reached ? 0 : -1}>
                    <Shape state={key} />
                    <code>{visible(eventWords({ event, label }))}</code>
                  </button>
                </td>
                <td>{before ? duration(at - before.at) : forgotten > 0 ? '' : '0'}</td>
              </tr>
            );
          })}
          <Space rows={transitions.length - last} />
        </tbody>
      </table>
    </section>
  );
}

/** What is in sight, in pixels. It follows the shown transition. */
function useSight(run: Inspected, box: RefObject<HTMLElement | null>) {
  const view = useSignal({ top: 0, height: 600 });
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const look = () => {
      view.value = { top: element.scrollTop, height: element.clientHeight };
    };
    const observer = new ResizeObserver(() => {
      look();
      follow(run.seq.peek());
    });
    observer.observe(element);
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, []);
  useSignalEffect(() => follow(run.seq.value));
  // Measured values are remembered: to ask the browser again would make it lay the page out at each step.
  function follow(seq: number): void {
    const { top, height } = view.peek();
    const to = scrolledTo(seq - 1, top, height - rowHeight);
    if (to === top) return;
    view.value = { top: to, height };
    requestAnimationFrame(() => {
      if (box.current) box.current.scrollTop = view.peek().top;
    });
  }
  return view;
}

/** Where rows would be that are not made. */
function Space({ rows }: { rows: number }) {
  if (rows === 0) return null;
  return (
    <tr>
      <td class="space" colSpan={3} style={{ height: `${rows * rowHeight}px` }} />
    </tr>
  );
}
