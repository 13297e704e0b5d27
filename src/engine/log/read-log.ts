import { type Ask, request } from '../../store/program.ts';
import {
  type EffectRow,
  type EventRow,
  type LongRow,
  type MessageRow,
  type RunRow,
  textLength,
} from '../../store/rows.ts';
import { breath } from '../../text/limiter.ts';
import type { EngineStatements, Store } from '../commit/statements.ts';

/** Bytes that are read at once. A page has a few more: it ends with the row that fills it. */
export const pageBytes = 256 * 1024;
const pageRows = 200;

/** Which transitions of a run: those behind `after`, up to `upTo`. Default: all. */
export interface LogRange {
  after?: number;
  upTo?: number;
}

/**
 * The log of a run, by the page, however long it is. Between two pages the process does other work, so rows may have been
 * added meanwhile: `upTo` says where the reader's own knowledge of the run ends.
 */
export async function* pagesOfLog(
  store: Store<'listEvents'>,
  run: number,
  { after = 0, upTo = Number.MAX_SAFE_INTEGER }: LogRange = {},
): AsyncGenerator<EventRow[]> {
  let last = after;
  while (last < upTo) {
    const page = await store.query('listEvents', pageAfter(run, last, upTo));
    const end = page.at(-1);
    if (!end) return;
    yield page;
    last = end.seq;
    if (isLastOf(page)) return;
    if (last < upTo) await breath();
  }
}

/** As {@link pagesOfLog}, by the row. */
export async function* readLog(
  store: Store<'listEvents'>,
  run: number,
  range?: LogRange,
): AsyncGenerator<EventRow> {
  for await (const page of pagesOfLog(store, run, range)) for (const row of page) yield row;
}

const ask: Ask<Pick<EngineStatements, 'listEffects' | 'listEvents' | 'pageMessagesOfRun'>> = request;

/** As {@link readLog}, within a program: each transition is taken before the next page is read. */
export function* takeLog(
  run: number,
  { after = 0, upTo = Number.MAX_SAFE_INTEGER }: LogRange,
  take: (event: EventRow) => void,
) {
  let last = after;
  while (last < upTo) {
    const page = yield* ask('listEvents', pageAfter(run, last, upTo));
    const end = page.at(-1);
    if (!end) return;
    for (const event of page) take(event);
    if (isLastOf(page)) return;
    last = end.seq;
  }
}

/** The messages of a run, up to the seq, within a program: as {@link readMessages}, page by page. */
export function* takeMessages({ session, pk: run }: Pick<RunRow, 'session' | 'pk'>, upTo: number) {
  const messages: MessageRow[] = [];
  for (;;) {
    const { seq, i } = messages.at(-1) ?? beforeAll;
    const page = yield* ask('pageMessagesOfRun', { session, run, upTo, maxBytes: pageBytes, seq, i });
    messages.push(...page);
    if (isLast(page)) return messages;
  }
}

function pageAfter(run: number, after: number, upTo: number) {
  return { run, after, limit: Math.min(pageRows, upTo - after), maxBytes: pageBytes };
}

/** Where the messages of some transitions are. Those written at creation, with the seq 0, belong to the first transition. */
export function messagesAt(from: number, upTo: number): LogRange {
  return { after: from <= 1 ? -1 : from - 1, upTo };
}

/** The messages of a run, by the page: those with a seq behind `after`, up to `upTo`. Default: all. */
export async function* pagesOfMessages(
  store: Store<'pageMessagesOfRun'>,
  { session, pk: run }: Pick<RunRow, 'session' | 'pk'>,
  { after = -1, upTo = Number.MAX_SAFE_INTEGER }: LogRange = {},
): AsyncGenerator<MessageRow[]> {
  let last = { ...beforeAll, seq: after };
  for (;;) {
    const { seq, i } = last;
    const page = await store.query('pageMessagesOfRun', { session, run, upTo, maxBytes: pageBytes, seq, i });
    yield page;
    if (isLast(page)) return;
    last = page.at(-1) ?? last;
    await breath();
  }
}

/** As {@link pagesOfMessages}, by the row. */
export async function* readMessages(
  store: Store<'pageMessagesOfRun'>,
  run: Pick<RunRow, 'session' | 'pk'>,
  range?: LogRange,
): AsyncGenerator<MessageRow> {
  for await (const page of pagesOfMessages(store, run, range)) for (const row of page) yield row;
}

const beforeAll = { seq: -1, i: Number.MAX_SAFE_INTEGER };

/** The effects of a run, however large they are: what they were asked for is part of them. */
export async function* readEffects(
  store: Pick<Store<'listEffects'>, 'query'>,
  run: number,
): AsyncGenerator<EffectRow> {
  for (let after = 0; ; await breath()) {
    const page = await store.query('listEffects', { run, after, maxBytes: pageBytes });
    for (const row of page) yield row;
    if (isLast(page)) return;
    after = page.at(-1)?.n ?? after;
  }
}

/** As {@link readEffects}, within a program: each effect is taken before the next page is read. */
export function* takeEffects(run: number, take: (effect: EffectRow) => void) {
  for (let after = 0; ; ) {
    const page = yield* ask('listEffects', { run, after, maxBytes: pageBytes });
    for (const effect of page) take(effect);
    if (isLast(page)) return;
    after = page.at(-1)?.n ?? after;
  }
}

/** As {@link isLast}, for a page that also has a maximum number of rows. */
function isLastOf(page: readonly EventRow[]): boolean {
  return page.length < pageRows && isLast(page);
}

/** A page that is not full is the last one. */
function isLast(page: readonly LongRow[]): boolean {
  return page.reduce((sum, row) => sum + textLength(row), 0) < pageBytes;
}
