import './conversation.css';
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { SessionLog } from '../../../data/conversation/session-log.ts';
import { t } from '../words.ts';
import { EntryView, type Marks } from './entry-view.tsx';
import { type Row, Rows } from './rows.ts';
import { Standing, standingOf } from './standing.ts';
import { useVirtual } from './use-virtual.ts';
import { Whose } from './whose.ts';

interface ConversationProps {
  log: SessionLog;
  /** The user of the session, where that is not who is logged in. */
  other: string | null;
  marks: Marks;
  /** The transition of a run that a link leads to. */
  linked: { runId: string; seq: number } | null;
  /** Counts what the person sent: the page goes to its end then. */
  sent: number;
}

const endPx = 80;

/** What was said and done in a session, hung from the marks of its log. */
export function Conversation({ log, other, marks, linked, sent }: ConversationProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const made = useRef<Rows | null>(null);
  made.current ??= new Rows();
  const all = made.current;
  const runs = log.runs.value;
  const stories = log.stories.value;
  const hasOlder = log.hasOlder.value;
  const rows = useMemo(() => {
    const told = runs.flatMap(({ runId }) => stories.get(runId) ?? []);
    return all.of(told, hasOlder);
  }, [runs, stories, hasOlder]);
  const list = useVirtual({
    scroller,
    rows,
    keyOf: (row) => row.key,
    estimate: estimateOf,
    endPx,
  });
  const isAtEnd = list.isAtEnd(endPx);
  const items = list.getVirtualItems();
  const hasOlderShown = rows[items[0]?.index ?? 0]?.type === 'older';
  const height = list.getTotalSize();
  const isFull = height > (scroller.current?.clientHeight ?? 0);
  const left = useAtStart(
    log,
    rows.length > 0,
    { height, isSettled: isFull && isAtEnd && !hasOlderShown },
    linked,
    () => list.scrollToEnd(),
    (runId, seq) => {
      const at = rows.findLastIndex(
        (row) => row.type === 'entry' && row.entry.runId === runId && row.entry.fromSeq <= seq,
      );
      if (at >= 0) list.scrollToIndex(at, { align: 'center' });
    },
  );
  useEffect(() => {
    if (hasOlderShown && log.isRead.peek()) void log.readOlder();
  }, [hasOlderShown, rows.length]);
  useEffect(() => {
    if (sent > 0) list.scrollToEnd();
  }, [sent]);
  // The browser's own way there stops where rows turn out to be higher than they were taken for.
  const jump = (event: KeyboardEvent) => {
    if (event.target !== scroller.current || (event.key !== 'End' && event.key !== 'Home')) return;
    event.preventDefault();
    if (event.key === 'End') list.scrollToEnd();
    else list.scrollToOffset(0);
  };
  useEndKept(scroller, () => list.scrollToEnd());
  const isNew = useNewText(rows, isAtEnd);
  const { sessionId } = log;
  const whose = useMemo(() => {
    const rated = runs.flatMap(({ runId, ratings }) => (ratings ?? []).map((one) => [runId, one] as const));
    return { sessionId, other, ratings: new Map(rated) };
  }, [sessionId, other, runs]);
  return (
    <div class="body">
      <section
        class="scroller"
        ref={scroller}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by the keyboard.
        tabIndex={0}
        aria-label={t.title}
        onKeyDown={jump}
        onScroll={left}
      >
        <div class="rows" style={{ height: `${list.getTotalSize()}px` }}>
          <Whose.Provider value={whose}>
            <Standing.Provider value={standingOf(log.current.value)}>
              <div class="convo" style={{ transform: `translateY(${items[0]?.start ?? 0}px)` }}>
                {items.map(({ index, key }) => {
                  const row = rows[index];
                  return row === undefined ? null : (
                    <div key={key} data-index={index} ref={list.measureElement}>
                      <RowView row={row} marks={marks} linked={linked} />
                    </div>
                  );
                })}
              </div>
            </Standing.Provider>
          </Whose.Provider>
        </div>
      </section>
      {isNew && (
        <button type="button" class="btn newer" onClick={() => list.scrollToEnd()}>
          {t.newText} ↓
        </button>
      )}
    </div>
  );
}

function RowView({ row, marks, linked }: { row: Row; marks: Marks; linked: ConversationProps['linked'] }) {
  if (row.type === 'older') return <p class="loading older">{t.older}</p>;
  const { entry, isFirst, isLast, isLive, falls } = row;
  const { runId, fromSeq, toSeq } = entry;
  const isLinked = linked?.runId === runId && fromSeq <= linked.seq && linked.seq <= (toSeq ?? linked.seq);
  return <EntryView {...{ entry, marks, isFirst, isLast, isLive, falls, isLinked }} />;
}

function estimateOf(row: Row): number {
  if (row.type !== 'entry') return 60;
  const { kind, content } = row.entry;
  if (kind !== 'stay') return 62;
  const text = content.reduce(
    (sum, one) => sum + (one.type === 'text' ? one.text.length : one.type === 'call' ? 160 : 40),
    0,
  );
  return 44 + Math.ceil(text / 75) * 24;
}

/**
 * Begins where a link leads, or at the end: that moves while runs before those are read, and rows turn out to be higher than they
 * were taken for. Returns what is to hear of scrolling: who scrolls up stays there.
 */
function useAtStart(
  log: SessionLog,
  hasRows: boolean,
  { height, isSettled }: { height: number; isSettled: boolean },
  linked: ConversationProps['linked'],
  toEnd: () => void,
  to: (runId: string, seq: number) => void,
): (event: { currentTarget: HTMLElement }) => void {
  const isRead = log.isRead.value;
  const [readFor, readBack] = useState<string | null>(null);
  const start = useRef({ log, isOver: false, top: 0, height: 0 });
  if (start.current.log !== log) start.current = { log, isOver: false, top: 0, height: 0 };
  const place = linked && `${linked.runId} ${linked.seq}`;
  useEffect(() => {
    if (linked && isRead) void log.readBackTo(linked.runId).then(() => readBack(place));
  }, [isRead, place]);
  useLayoutEffect(() => {
    if (hasRows && linked !== null && readFor === place) to(linked.runId, linked.seq);
  }, [hasRows, isRead, place, readFor]);
  useLayoutEffect(() => {
    if (!hasRows || linked !== null || start.current.isOver) return;
    toEnd();
    start.current.isOver = isRead && isSettled;
  }, [log, hasRows, isRead, height, isSettled, place]);
  return ({ currentTarget: { scrollTop, scrollHeight } }) => {
    const { isOver, top, height: before } = start.current;
    start.current = {
      log,
      isOver: isOver || (scrollTop < top && scrollHeight >= before),
      top: scrollTop,
      height: scrollHeight,
    };
  };
}

/** A conversation at its end stays there when a question or a bar takes room below it. */
function useEndKept(scroller: RefObject<HTMLElement | null>, toEnd: () => void): void {
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    let before = element.clientHeight;
    const observer = new ResizeObserver(() => {
      const { scrollHeight, scrollTop, clientHeight } = element;
      if (clientHeight < before && scrollHeight - scrollTop - before <= endPx) toEnd();
      before = clientHeight;
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
}

/** Whether something came below what is seen. */
function useNewText(rows: readonly Row[], isAtEnd: boolean): boolean {
  const last = rows.at(-1);
  const seen = useRef<Row | undefined>(last);
  if (isAtEnd) seen.current = last;
  return !isAtEnd && seen.current !== last;
}
