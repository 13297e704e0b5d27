import type { SessionHit, SessionSeeker } from '../../protocol/ports.ts';
import type { RunRow } from '../../store/rows.ts';
import { isBefore, isClearing, type Position, parseMessage } from '../../store/stored-message.ts';
import { kindsOf } from '../../store/stored-run.ts';
import { minTrusted } from '../markdown/provenance.ts';
import type { Store } from '../notes/statements.ts';
import type { Passage } from '../search/search.ts';
import { ownerOf, readTranscript, type SaidLine } from './transcript.ts';

/** Reads hits of the index from the store. Drops hits that were deleted, cleared or shown already. */
export class HitReader {
  readonly #store: Store;
  readonly #seeker: SessionSeeker;
  readonly #cleared = new Map<number, Position>();
  readonly #shown = new Set<string>();
  /** Runs that are in the index, but no longer in the store. */
  readonly gone: string[] = [];

  constructor(store: Store, seeker: SessionSeeker) {
    this.#store = store;
    this.#seeker = seeker;
  }

  async read({ path: id, startLine, endLine, snippet, score }: Passage): Promise<SessionHit | null> {
    const { tenant, userId, reach } = this.#seeker;
    const run = await this.#store.query('loadRun', { tenant, id });
    if (!run) {
      this.gone.push(id);
      return null;
    }
    if (userId !== null && ownerOf(run) !== userId) return null;
    if (reach && !(await this.#store.query('findRunOwner', { tenant, id, reach: kindsOf(reach) })))
      return null;
    const found = (await readTranscript(this.#store, run, endLine)).slice(startLine - 1);
    // The text has changed since it was indexed.
    if (!joinedText(found).includes(snippet)) return null;
    const lines = this.#fresh(found);
    const [first] = lines;
    if (!first) return null;
    const cleared = await this.#clearedUpTo(run.session);
    const seen = await this.#seenFrom(run);
    if (lines.some((line) => isBefore(line, cleared)) || !lines.every((line) => isBefore(line, seen)))
      return null;
    for (const line of lines) this.#shown.add(lineKey(line));
    return {
      sessionId: run.sessionKey,
      runId: await this.#runOf(first, run),
      at: first.at,
      role: first.role,
      // The snippet has only a part of a very long line.
      snippet: lines.length === found.length ? snippet : joinedText(lines),
      score,
      from: minTrusted(lines),
    };
  }

  /** The lines that were not shown yet: runs share the lines between them, and forks share those of their origin. */
  #fresh(lines: readonly SaidLine[]): readonly SaidLine[] {
    const start = lines.findIndex((line) => line.text.trim() !== '' && !this.#shown.has(lineKey(line)));
    return start < 0 ? [] : lines.slice(start);
  }

  /** The end of what was said before the session was cleared; that part enters no prompt any more. */
  async #clearedUpTo(session: number): Promise<Position> {
    const known = this.#cleared.get(session);
    if (known) return known;
    const summaries = (await this.#store.query('listSummaries', { session })).map(parseMessage);
    const last = summaries.findLast(isClearing);
    const head = last?.role === 'summary' ? last.body.head : undefined;
    const place = head ?? { run: 0, seq: 0 };
    this.#cleared.set(session, place);
    return place;
  }

  /** The place from which on the asking session's prompt has everything. */
  async #seenFrom(run: RunRow): Promise<Position> {
    const { tenant, sessionId } = this.#seeker;
    if (run.sessionKey !== sessionId) return end;
    const session = await this.#store.query('findSession', { tenant, key: sessionId });
    return session ? { run: session.headRun, seq: session.headSeq } : end;
  }

  async #runOf(line: SaidLine, run: RunRow): Promise<string> {
    if (line.run === run.pk) return run.id;
    const runs = await this.#store.query('listRunMarks', {
      tenant: this.#seeker.tenant,
      after: line.run - 1,
      limit: 1,
    });
    return runs[0]?.pk === line.run ? runs[0].id : run.id;
  }
}

function joinedText(lines: readonly SaidLine[]): string {
  return lines.map(({ text }) => text).join('\n');
}

function lineKey({ at, text }: SaidLine): string {
  return `${at} ${text}`;
}

const end: Position = { run: Number.MAX_SAFE_INTEGER, seq: 0 };
