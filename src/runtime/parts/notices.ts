import type { Clock } from '../../engine/clock.ts';
import { awaitForeign } from '../../engine/foreign-code.ts';
import { isOwnKey } from '../../protocol/access.ts';
import type { NotifyConfig } from '../../protocol/config.ts';
import { DetentError, messageOf } from '../../protocol/error.ts';
import type { Notice, NoticeType } from '../../protocol/ports.ts';
import { kindOf } from '../../runs/rows.ts';
import { takeQuestions } from '../../runs/views.ts';
import { type Ask, type Program, request } from '../../store/program.ts';
import type { FeedRow, NoticeRow, RunRow } from '../../store/rows.ts';
import type { Statements, StatementsOf } from '../../store/statements.ts';
import type { Store as StoreOf } from '../../store/store.ts';
import { callName, isOpen } from '../../store/stored-call.ts';
import { parseMessage } from '../../store/stored-message.ts';
import { isTakeover, optionsOf, workflowId } from '../../store/stored-run.ts';
import { Rounds } from '../../text/limiter.ts';
import { postMessage, retryDelay, type WebhookParts } from '../../tools/http.ts';
import { attempt } from '../../tools/toolbox.ts';

type NoticeStatements = StatementsOf<'notices' | 'confirmations' | 'events'> &
  Pick<Statements, 'loadRun' | 'listTenants' | 'listMessagesBefore'>;

const ask: Ask<NoticeStatements> = request;

interface NoticesOptions {
  notify: NotifyConfig;
  store: StoreOf<NoticeStatements>;
  clock: Clock;
  webhook: WebhookParts;
  /** Whether a connection watches a run, or did until it ended. */
  isWatched(tenant: number, runId: string): boolean;
  report(error: unknown, runId: string): void;
}

/** Transitions of the feed that are read in one commit, and notices that are sent at once. */
const [page, atOnce] = [200, 8];
const maxAttempts = 8;
/** The last time at which others may have left something to do is at most so long ago. */
const lookEveryMs = 10_000;
export const noticeTimeoutMs = 10_000;
/** Then an attempt counts as one of a process that died. */
const leaseMs = noticeTimeoutMs + 20_000;
/** Of an end that is older nobody is told: notices were off for so long. */
const staleMs = 24 * 3_600_000;
const keptMs = 30 * 24 * 3_600_000;

/**
 * Tells the host of runs that wait or have ended. What happened is read off the feed of each tenant, and the place in it moves in the
 * commit of the notices: each has one, whatever dies when, and any process with the same configuration makes and sends them.
 */
export class Notices {
  readonly #options: NoticesOptions;
  readonly #closing = new AbortController();
  readonly #looks = new Rounds();
  #wake: (() => void) | null = null;

  constructor(options: NoticesOptions) {
    this.#options = options;
  }

  /** Makes and sends what is due. If it is called while it does so, it looks once more. */
  look(): void {
    if (this.#closing.signal.aborted) return;
    void this.#looks.ask(async () => {
      await this.#lookAll().catch((error) => this.#options.report(error, ''));
      this.#sleep();
    });
  }

  /** Ends attempts under way: they are made again by the next process. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#wake?.();
    await this.#looks.over();
  }

  #sleep(): void {
    if (this.#closing.signal.aborted) return;
    const { clock, store } = this.#options;
    this.#wake?.();
    this.#wake = clock.wakeAt(clock.now() + lookEveryMs, () => this.look());
    store.query('nextNotice', {}).then(
      (next) => {
        if (!next || this.#closing.signal.aborted || next.dueAt > clock.now() + lookEveryMs) return;
        this.#wake?.();
        this.#wake = clock.wakeAt(next.dueAt, () => this.look());
      },
      // The next look finds out what is wrong with the store.
      () => {},
    );
  }

  async #lookAll(): Promise<void> {
    const { store, clock } = this.#options;
    if (this.#closing.signal.aborted) return;
    for (const { id } of await store.query('listTenants', {})) while (await this.#read(id));
    for (let sent = atOnce; sent === atOnce && !this.#closing.signal.aborted; ) {
      const due = await store.query('listDueNotices', { now: clock.now(), limit: atOnce });
      await Promise.all(due.map((notice) => this.#attempt(notice)));
      sent = due.length;
    }
  }

  /** Makes the notices of the next transitions. Returns whether there are more. */
  async #read(tenant: number): Promise<boolean> {
    const { store } = this.#options;
    const head = await store.query('feedHead', { tenant });
    const place = await store.query('noticePlace', { tenant });
    if (head && place && head.pos === place.pos) return false;
    return store.commit(() => this.#make(tenant));
  }

  *#make(tenant: number): Program<boolean> {
    const place = yield* ask('noticePlace', { tenant });
    // From now on: of what was before nobody is told.
    if (!place) yield* ask('beginFeed', { tenant });
    const head = (yield* ask('feedHead', { tenant }))?.pos ?? 0;
    const after = Math.min(place?.pos ?? head, head);
    const upTo = Math.min(head, after + page);
    const rows = upTo > after ? yield* ask('listFeed', { tenant, user: null, after, upTo }) : [];
    for (const row of rows) yield* this.#noticesOf(tenant, row);
    yield* ask('putNoticePlace', { tenant, pos: upTo });
    return upTo < head;
  }

  *#noticesOf(tenant: number, { runId, machine, path, type, seq, at, ended }: FeedRow): Program<void> {
    if (isTakeover({ machine })) {
      const spoken = type === 'staff.say' && (yield* ask('loadRun', { tenant, id: runId }));
      if (spoken) yield* this.#put(spoken, 'session.said', `said.${seq}`, at, {});
      return;
    }
    const mayAsk = type === 'tool.asked' || kindOf({ machine }).isAskingPath(path);
    if (!mayAsk && !ended) return;
    const row = yield* ask('loadRun', { tenant, id: runId });
    if (!row) return;
    if (ended) yield* this.#endOf(row, at);
    if (!mayAsk || row.ended) return;
    for (const question of yield* takeQuestions(row)) {
      const { call, kind, decides, name: tool, why, askedAt } = question;
      if (!isOpen(question)) continue;
      const words = question.question?.text ?? why;
      const asks = kind === 'client' ? 'run.client_call' : 'run.waiting';
      const about = { callId: callName(call), kind, tool, ...(decides && { decides }) };
      yield* this.#put(
        row,
        asks,
        `${callName(call)}.${question.n}`,
        askedAt,
        { ...about, text: words },
        call,
      );
    }
  }

  *#endOf(row: RunRow, at: number): Program<void> {
    const { clock, isWatched } = this.#options;
    const { parentRunId, call } = optionsOf(row);
    const { only } = JSON.parse(row.input) as { only?: string };
    // Of a part of a run, a call of a program, a compaction and a job's slot nobody waits for the end.
    if (parentRunId !== undefined || call !== undefined || only !== undefined || isOwnKey(row.sessionKey))
      return;
    if (isWatched(row.tenant, row.id) || at < clock.now() - staleMs) return;
    const { outcome } = JSON.parse(row.output ?? '{}') as { outcome?: string };
    const text = yield* this.#lastWords(row);
    yield* this.#put(row, 'run.ended', 'end', at, { ...(outcome !== undefined && { outcome }), text });
  }

  /** What the run said last, if the host wants the words. */
  *#lastWords({ pk, session }: RunRow): Program<string> {
    const { notify } = this.#options;
    if (typeof notify === 'function' || !notify.words) return '';
    const newest = yield* ask('listMessagesBefore', { session, run: pk + 1, limit: 10 });
    const said = newest.find(({ role }) => role === 'assistant');
    return said ? (parseMessage(said).body as { text: string }).text : '';
  }

  *#put(
    row: RunRow,
    type: NoticeType,
    name: string,
    at: number,
    { text, ...about }: Partial<Notice>,
    call: number | null = null,
  ): Program<void> {
    const { notify, clock } = this.#options;
    const { events, words = false } = typeof notify === 'function' ? {} : notify;
    if (events && !events.includes(type)) return;
    const { agent } = isTakeover(row) ? {} : optionsOf(row);
    const isWorkflow = row.machine.startsWith('workflow:');
    const id = `msg_${row.id}.${name}`;
    const notice: Notice = {
      id,
      type,
      at,
      tenantId: row.tenant,
      userId: userOf(row),
      sessionId: row.sessionKey,
      runId: row.id,
      ...(agent !== undefined && { agent }),
      ...(isWorkflow && { workflow: workflowId(row) }),
      ...about,
      ...(words && text !== undefined && { text }),
    };
    const place = { tenant: row.tenant, id, session: row.session, runId: row.id, call };
    yield* ask('insertNotice', { ...place, body: JSON.stringify(notice), dueAt: clock.now(), at });
  }

  async #attempt({
    tenant,
    id,
    runId,
    call,
    body,
    dueAt,
    attempt,
    error,
  }: NoticeRow & { tenant: number }): Promise<void> {
    const { store, clock, report } = this.#options;
    const now = clock.now();
    const key = { tenant, id };
    const settle = (status: NoticeRow['status'], failure: string | null, at = now) =>
      store.commit(() => ask('settleNotice', { ...key, status, error: failure, dueAt: at }));
    const begun = await store.commit(() => ask('beginNotice', { ...key, dueAt, until: now + leaseMs }));
    if (begun === 0) return;
    if (call !== null && !(await this.#isWaitedFor(tenant, runId, call, id)))
      return void (await settle('over', error));
    try {
      await this.#send(await this.#now(tenant, JSON.parse(body) as Notice));
    } catch (thrown) {
      if (this.#closing.signal.aborted) return;
      const failure = {
        code: DetentError.is(thrown) ? thrown.code : 'NOTICE_FAILED',
        message: messageOf(thrown),
      };
      const delay = attempt + 1 < maxAttempts ? retryDelay(attempt + 1, againAfter(thrown, failure)) : null;
      await settle(delay === null ? 'dead' : 'pending', JSON.stringify(failure), clock.now() + (delay ?? 0));
      if (delay === null)
        report(new DetentError('NOTICE_DEAD', `Detent gave up the notice ${id}: ${failure.message}`), runId);
      return;
    }
    await settle('delivered', null);
    await store.commit(() => ask('deleteNoticesBefore', { at: now - keptMs }));
  }

  /** A guest may have become a user since: the notice names whose the run is now. */
  async #now(tenant: number, notice: Notice): Promise<Notice> {
    const row = await this.#options.store.query('loadRun', { tenant, id: notice.runId });
    return row ? { ...notice, userId: userOf(row) } : notice;
  }

  /** Whether the question is still open: otherwise a person would be called for nothing. */
  async #isWaitedFor(tenant: number, runId: string, call: number, id: string): Promise<boolean> {
    const { store } = this.#options;
    const row = await store.query('loadRun', { tenant, id: runId });
    if (!row || row.ended) return false;
    const found = await store.query('findConfirmation', { run: row.pk, call });
    return found !== undefined && isOpen(found) && id.endsWith(`.${found.n}`);
  }

  async #send(notice: Notice): Promise<void> {
    const { notify, webhook } = this.#options;
    const { signal } = this.#closing;
    if (typeof notify !== 'function') {
      const { id, type, at, ...data } = notice;
      const body = { type, timestamp: new Date(at).toISOString(), data };
      // It has a time limit of its own.
      return postMessage(webhook, notify, { id, body, signal });
    }
    const tell = (ending: AbortSignal) => awaitForeign('notify', async () => notify(notice, ending));
    const ended = await attempt(tell, noticeTimeoutMs, signal);
    if (ended.ended === 'threw') throw ended.error;
    if (ended.ended !== 'returned') throw new Error(`it took longer than ${noticeTimeoutMs} ms`);
  }
}

/**
 * All but the receiver's refusal for good may be mended: a person sets the secret or allows the host, and expects what was to be sent.
 */
function againAfter(thrown: unknown, { code, message }: { code: string; message: string }): DetentError {
  const isLasting = DetentError.is(thrown) && (thrown.retryable || code === 'WEBHOOK_GONE');
  return isLasting ? thrown : new DetentError(code, message, { retryable: true });
}

function userOf(row: RunRow): string | null {
  return row.user ?? (isTakeover(row) ? null : (optionsOf(row).principal?.userId ?? null));
}
