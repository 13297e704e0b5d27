import { refuseLeaving } from '../../engine/commit.ts';
import { checkSessionKey, refuseOwnKey } from '../../protocol/access.ts';
import { DetentError } from '../../protocol/error.ts';
import type { Program } from '../../store/program.ts';
import type { SummaryBody } from '../../store/stored-message.ts';
import { randomId } from '../../text/ids.ts';
import { counted } from '../../text/wording.ts';
import { importedOptions, writeHistory } from '../rows/imported.ts';
import { ask, type Store, tell } from '../rows/statements.ts';
import { type LogSource, type ReadLog, readLog } from './read-lines.ts';
import { type Rebuilt, type RebuiltMessage, rebuild } from './rebuild.ts';

export interface ImportedSession {
  sessionId: string;
  /** The ended run that holds the file's lines. */
  runId: string;
  lines: number;
  messages: number;
  /** What the import changed or left out, for people; empty for an exact import. */
  notes: string[];
}

interface ImportRequest {
  tenant: number;
  /** Key of the new session; default: the one in the file, or a new one. */
  sessionId?: string;
  /** Whom the session is to belong to; null for no user in particular. */
  user: string | null;
  redact(text: string): string;
  /** Milliseconds since the epoch. */
  now: number;
}

/**
 * Creates a session from a file: one ended run, whose log is the file's unchanged lines, and whose messages are a
 * conversation that new runs can continue.
 *
 * @throws DetentError `INVALID_SESSION_LOG`, `INVALID_SESSION`, `SESSION_EXISTS`.
 */
export async function importSession(
  store: Store,
  source: LogSource,
  { tenant, sessionId, user, redact, now }: ImportRequest,
): Promise<ImportedSession> {
  const log = await readLog(source, redact, now);
  if (log.lines.length === 0)
    throw new DetentError(
      'INVALID_SESSION_LOG',
      'the file holds no event of a session; nothing was imported',
    );
  const rebuilt = rebuild(log.lines);
  const key = sessionId ?? keyIn(log) ?? randomId('ses');
  checkSessionKey(key);
  refuseOwnKey(key, user);
  const runId = randomId('run');
  await store.commit(() => write({ tenant, key, user, runId, log, rebuilt, redact }));
  return {
    sessionId: key,
    runId,
    lines: log.lines.length,
    messages: rebuilt.messages.length,
    notes: notesOn(log, rebuilt),
  };
}

function keyIn({ lines }: ReadLog): string | undefined {
  for (const { known } of lines)
    if (known?.type === 'system.init' && known.session_id) return known.session_id;
  return undefined;
}

interface Import {
  tenant: number;
  key: string;
  user: string | null;
  runId: string;
  log: ReadLog;
  rebuilt: Rebuilt;
  redact(text: string): string;
}

function* write({ tenant, key, user, runId, log, rebuilt, redact }: Import): Program<void> {
  if (yield* ask('findSession', { tenant, key }))
    throw sessionExists(key, 'import under another key (--session), or delete it first');
  yield* refuseLeaving(tenant, user);
  const times = log.lines.map(({ at }) => at);
  const createdAt = times.reduce((a, b) => Math.min(a, b));
  const { pk: session } = yield* ask('insertSession', { tenant, key, user, at: createdAt });
  const run = yield* writeHistory({
    tenant,
    id: runId,
    session,
    ordinal: 1,
    options: importedOptions(tenant, user, folderIn(log)),
    lines: log.lines,
  });
  const ids = yield* writeArtifacts(rebuilt.artifacts, tenant, run);
  for (const message of rebuilt.messages) {
    const body =
      message.role === 'summary' ? placed(message.body as SummaryBody, run) : owned(message.body, ids);
    yield* tell('insertMessage', { ...message, session, run, tenant, body: redact(JSON.stringify(body)) });
  }
  if (rebuilt.head !== null) yield* ask('moveSessionHead', { session, run, seq: rebuilt.head });
}

/**
 * Writes the artifacts of a file. The original session may also be in this database. A long output is then shared with it;
 * images and documents are part of the conversation and get new ids, since the original session may be deleted. Returns
 * the new ids by the ids in the file.
 */
function* writeArtifacts(
  artifacts: Rebuilt['artifacts'],
  tenant: number,
  run: number,
): Program<ReadonlyMap<string, string>> {
  const ids = new Map<string, string>();
  for (const { id: named, mime, encoding = 'utf8', body, at } of artifacts) {
    const isTaken = (yield* ask('findArtifact', { tenant, id: named })) !== undefined;
    if (isTaken && encoding === 'utf8') continue;
    const id = isTaken ? randomId('art') : named;
    ids.set(named, id);
    yield* tell('insertArtifact', { tenant, id, run, mime, encoding, body, createdAt: at });
  }
  return ids;
}

function owned(body: RebuiltMessage['body'], ids: ReadonlyMap<string, string>): RebuiltMessage['body'] {
  if (!('parts' in body) || !body.parts) return body;
  const parts = body.parts.map((part) => ({ ...part, artifact: ids.get(part.artifact) ?? part.artifact }));
  return { ...body, parts };
}

export function sessionExists(key: string, advice: string): DetentError {
  return new DetentError('SESSION_EXISTS', `there is a session "${key}" already; ${advice}`, {
    details: { sessionId: key },
  });
}

function placed({ head, ...summary }: SummaryBody, run: number): SummaryBody {
  return { ...summary, ...(head && { head: { ...head, run } }) };
}

function folderIn({ lines }: ReadLog): string {
  for (const { known } of lines) if (known?.type === 'system.init') return known.cwd ?? '';
  return '';
}

function notesOn({ tornBytes, deltas }: ReadLog, { dangling, orphans }: Rebuilt): string[] {
  return [
    ...(tornBytes > 0 ? [`the last line was cut off, and ${counted(tornBytes, 'byte')} of it left out`] : []),
    ...(deltas > 0 ? [`${counted(deltas, 'assistant.delta line')} left out: the whole message is kept`] : []),
    ...(dangling > 0
      ? [`${counted(dangling, 'tool call')} without a result: imported with an unknown outcome`]
      : []),
    ...(orphans > 0 ? [`${counted(orphans, 'tool result')} without a call: kept, but in no prompt`] : []),
  ];
}
