import { readLog, readMessages } from '../../engine/log.ts';
import type { RunRow } from '../../store/rows.ts';
import { clearing, isBefore, type Position, type SummaryBody } from '../../store/stored-message.ts';
import { isImported, optionsOf } from '../../store/stored-run.ts';
import type { Store } from '../rows/statements.ts';
import { CallIds, exportRun, type Unnumbered } from './export-run.ts';
import { jsonLine } from './json-line.ts';
import type { LogEvent } from './session-log.ts';

interface ExportedSession {
  key: string;
  createdAt: number;
  /** First ones first. */
  runs: readonly RunRow[];
  sdkVersion: string;
}

/**
 * A session as lines of JSON in the vocabulary of the Kotlin SDK, with `seq` from 1. Imported lines leave unchanged, except
 * for their numbers.
 */
export async function* exportLines(store: Store, session: ExportedSession): AsyncGenerator<string> {
  const { key, runs } = session;
  const numbered = new Numbered();
  const ids = new CallIds();
  const [first] = runs;
  if (!first || !isImported(first)) yield numbered.line(systemInit(session, first));
  for (const run of runs) {
    if (!isImported(run)) {
      for await (const line of exportRun(store, run, ids)) yield numbered.line(line);
      continue;
    }
    for await (const { body, seq } of readLog(store, run.pk)) {
      const event = JSON.parse(body) as LogEvent;
      if (event.type === 'tool.use') ids.note(String(event.tool_use_id));
      yield numbered.imported(body, event, key, { run: run.pk, seq });
    }
    for await (const line of clearsOf(store, run)) yield numbered.line(line);
  }
}

/** Of an imported run only a later clear is new. */
async function* clearsOf(store: Store, row: RunRow): AsyncGenerator<Unnumbered> {
  for await (const { role, body, run, seq, at } of readMessages(store, row)) {
    const { head, effectId } = role === 'summary' ? (JSON.parse(body) as SummaryBody) : {};
    if (effectId === clearing && head)
      yield { at, event: { type: 'detent.head' }, place: { run, seq }, head };
  }
}

function systemInit({ key, createdAt, sdkVersion }: ExportedSession, run: RunRow | undefined): Unnumbered {
  const workspace = run ? (optionsOf(run).workspace ?? '') : '';
  return {
    at: createdAt,
    event: { type: 'system.init', session_id: key, cwd: workspace, sdk_version: sdkVersion },
  };
}

/** Events whose `session_id` is the session's key. */
const naming: ReadonlySet<string> = new Set(['system.init', 'result']);

class Numbered {
  #seq = 0;
  readonly #places: (Position & { line: number })[] = [];

  line({ at, event, place, head }: Unnumbered): string {
    const seq = this.#next(place);
    const { type, ...fields } = event;
    return jsonLine({ type, seq, ts: at / 1000, ...fields, at: head ? this.#lineOf(head) : fields.at });
  }

  imported(line: string, event: LogEvent, key: string, place: Position): string {
    const seq = this.#next(place);
    const { type, session_id } = event;
    const isNamed = !naming.has(type) || session_id === undefined || session_id === key;
    if (event.seq === seq && isNamed) return line;
    return jsonLine({ ...event, seq, ...(!isNamed && { session_id: key }) });
  }

  #next(place: Position | undefined): number {
    this.#seq++;
    if (place) this.#places.push({ run: place.run, seq: place.seq, line: this.#seq });
    return this.#seq;
  }

  /** The first line of what stands at a place or behind it. */
  #lineOf(head: Position): number {
    return this.#places.find((place) => !isBefore(place, head))?.line ?? this.#seq + 1;
  }
}
