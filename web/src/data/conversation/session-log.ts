import { computed, signal } from '@preact/signals';
import type { ClientError, ClientEvent, ClientRun, Output } from '#src/client/index.ts';
import { client, isOffline } from '../connection.ts';
import type { RunRow } from '../runs.ts';
import { asClientError, ask } from '../use-request.ts';
import { emptyStory, type RunStory } from './entries.ts';
import { type FoldOptions, foldRun } from './fold-run.ts';

const ended = ['done', 'failed', 'cancelled'];
const maxRuns = 1_000;
/** The run at work is read again so long after it moved; at once when a person is asked, and when that was settled. */
const viewMs = 300;
const asking: ReadonlySet<string> = new Set([
  'tool.confirm_request',
  'tool.client_request',
  'question.asked',
  'lifecycle.end',
  'lifecycle.error',
]);
/** Entries that are read at once, from the newest back. */
const pageOfEntries = 60;

/** Reads what may be long. Over HTTP: on the WebSocket it would hold up what happens now, or have the gateway take the page for a slow one. */
async function read<T>(path: string): Promise<T> {
  const response = await client().http(`/api/v1${path}`);
  return (await response.json()) as T;
}

/** A session as the page follows it: its runs, the stories of those that were read, and what happens now. */
export class SessionLog {
  readonly sessionId: string;
  /** First ones first. */
  readonly runs = signal<readonly RunRow[]>([]);
  readonly stories = signal<ReadonlyMap<string, RunStory>>(new Map());
  /** The run that is at work or waits, or else the newest one, with what is legal now. */
  readonly current = signal<ClientRun | null>(null);
  readonly error = signal<ClientError | null>(null);
  readonly isRead = signal(false);
  /** Runs whose stories are shown, first ones first. */
  readonly shown = computed(() => this.runs.value.filter(({ runId }) => this.stories.value.has(runId)));
  readonly hasOlder = computed(() => this.shown.value.length < this.runs.value.length);
  readonly #options: FoldOptions;
  readonly #watches = new Map<string, AsyncIterator<ClientEvent>>();
  readonly #waiting = new Map<string, ClientEvent[]>();
  #frame: number | null = null;
  #isClosed = false;
  #isReadingOlder = false;
  #viewTimer: ReturnType<typeof setTimeout> | undefined;
  #viewAt = 0;
  #viewed: string | null = null;
  /** Counts what came of the log. */
  #moves = 0;

  constructor(sessionId: string, options: FoldOptions) {
    this.sessionId = sessionId;
    this.#options = options;
  }

  /** Reads the newest runs, and follows those that have not ended. Repeated, it finds runs that began elsewhere. */
  async refresh(): Promise<void> {
    const limit = this.isRead.peek() ? 20 : maxRuns;
    try {
      const { runs } = await ask('run.list', { sessionId: this.sessionId, limit });
      if (this.#isClosed) return;
      const found = runs.reverse();
      const news = new Map(found.map((run) => [run.runId, run]));
      const before = this.runs.peek().map((run) => news.get(run.runId) ?? run);
      const had = new Set(before.map(({ runId }) => runId));
      this.runs.value = [...before, ...found.filter(({ runId }) => !had.has(runId))];
      this.error.value = null;
      const isFirst = !this.isRead.peek();
      for (const run of this.runs.peek().filter(({ status }) => !ended.includes(status)))
        this.follow(run.runId);
      if (isFirst) await this.readOlder();
      else await this.#readNewer();
      this.#viewSoon(0);
    } catch (error) {
      // The bar above the page says that the gateway does not answer.
      if (!isOffline.peek()) this.error.value = asClientError(error);
    } finally {
      this.isRead.value = true;
    }
  }

  /** Reads runs before those that are shown, until there is a page of entries more. */
  async readOlder(): Promise<void> {
    if (this.#isReadingOlder) return;
    this.#isReadingOlder = true;
    try {
      let read = 0;
      const older = this.runs
        .peek()
        .filter(({ runId }) => !this.stories.peek().has(runId) && !this.#watches.has(runId));
      for (const { runId } of older.reverse()) {
        if (read >= pageOfEntries || this.#isClosed) return;
        read += await this.#read(runId);
      }
    } finally {
      this.#isReadingOlder = false;
    }
  }

  /** Reads all from a run on: a link leads to it. */
  async readBackTo(runId: string): Promise<void> {
    if (!this.runs.peek().some((run) => run.runId === runId)) return;
    while (!this.stories.peek().has(runId) && this.hasOlder.peek() && !this.#isClosed) {
      const had = this.stories.peek().size;
      await this.readOlder();
      if (this.stories.peek().size === had) return;
    }
  }

  /** Follows a run from its first event, or from where its story stands. */
  follow(runId: string): void {
    if (this.#watches.has(runId) || this.#isClosed) return;
    const story = this.stories.peek().get(runId) ?? emptyStory(runId);
    if (story.endedAt !== null) return;
    this.#put(story);
    void this.#watch(runId, story.seq);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#viewTimer);
    for (const watch of this.#watches.values()) void watch.return?.();
  }

  async #readNewer(): Promise<void> {
    const stories = this.stories.peek();
    const runs = this.runs.peek();
    const newest = runs.findLastIndex(({ runId }) => stories.has(runId));
    for (const { runId, status } of runs.slice(newest + 1))
      if (ended.includes(status)) await this.#read(runId);
  }

  /** Reads a run that has ended. Returns how many entries it has. */
  async #read(runId: string): Promise<number> {
    const { events } = await read<Output<'run.events'>>(`/runs/${encodeURIComponent(runId)}/timeline`);
    if (this.#isClosed) return 0;
    const story = foldRun(emptyStory(runId), events, this.#options);
    this.#put(story);
    return story.entries.length;
  }

  async #watch(runId: string, afterSeq: number): Promise<void> {
    const events = client().watch(runId, { afterSeq });
    this.#watches.set(runId, events);
    try {
      for await (const event of events) this.#take(event);
      void this.refresh();
    } catch (error) {
      if (!this.#isClosed) this.error.value = asClientError(error);
    } finally {
      this.#watches.delete(runId);
    }
  }

  /** Events that come within one frame of the screen are told together. */
  #take(event: ClientEvent): void {
    const waiting = this.#waiting.get(event.runId) ?? [];
    waiting.push(event);
    this.#waiting.set(event.runId, waiting);
    if ('seq' in event) {
      this.#moves++;
      if (event.event === 'takeover.changed') void this.refresh();
      if (asking.has(event.event)) this.#viewSoon(0);
      else if (event.last) this.#viewSoon(viewMs);
    }
    if (this.#frame !== null) return;
    this.#frame = document.hidden
      ? window.setTimeout(() => this.#tell(), 200)
      : requestAnimationFrame(() => this.#tell());
  }

  #tell(): void {
    this.#frame = null;
    const stories = new Map(this.stories.peek());
    for (const [runId, events] of this.#waiting)
      stories.set(runId, foldRun(stories.get(runId) ?? emptyStory(runId), events, this.#options));
    this.#waiting.clear();
    this.stories.value = stories;
  }

  #put(story: RunStory): void {
    this.stories.value = new Map(this.stories.peek()).set(story.runId, story);
  }

  /** Reads the run at work in so long, or sooner if that was asked before. */
  #viewSoon(ms: number): void {
    const at = Date.now() + ms;
    if (this.#viewTimer !== undefined && this.#viewAt <= at) return;
    clearTimeout(this.#viewTimer);
    this.#viewAt = at;
    this.#viewTimer = setTimeout(() => {
      this.#viewTimer = undefined;
      void this.#view();
    }, ms);
  }

  /** The view of a run has all of its steps, so it is read only when it is another one. */
  async #view(): Promise<void> {
    const runs = this.runs.peek();
    const run = runs.find(({ status }) => !ended.includes(status)) ?? runs.at(-1);
    if (!run) return;
    const version = `${run.runId} ${run.status} ${run.updatedAt} ${this.#moves}`;
    if (version === this.#viewed) return;
    this.#viewed = version;
    try {
      const isOver = ended.includes(run.status);
      const view = isOver
        ? await read<ClientRun>(`/runs/${encodeURIComponent(run.runId)}`)
        : await client().get(run.runId);
      if (!this.#isClosed && this.#viewed === version) this.current.value = view;
    } catch {
      this.#viewed = null;
    }
  }
}
