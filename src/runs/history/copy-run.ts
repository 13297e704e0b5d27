import { takeMessages } from '../../engine/log.ts';
import type { StoredPart } from '../../protocol/content.ts';
import type { Program } from '../../store/program.ts';
import type { MessageRow, RunRow } from '../../store/rows.ts';
import type { SummaryBody } from '../../store/stored-message.ts';
import { ask, tell } from '../rows/statements.ts';
import { optionsOfCopy } from '../rows/sub-run-rows.ts';

/** The target session of a copy. */
export interface Target {
  tenant: number;
  session: number;
  /** The keys of the copies, by the keys of the originals. */
  runs: Map<number, number>;
  at: number;
  /** Creates ids for copied rows that have their own. */
  newId(kind: 'art'): string;
}

/** Copies an ended run with all its rows, except long outputs that are stored outside the conversation. */
export function* copyEndedRun(row: RunRow, id: string, target: Target): Program<number> {
  const copy = { ...row, options: optionsOfCopy(row.options) };
  const pk = yield* insertRun(copy, id, target, row.createdAt);
  const { seq, fence, state, context, output, updatedAt } = row;
  yield* ask('endRun', {
    pk,
    was: seq,
    wasDriver: row.driver,
    seq,
    fence,
    state,
    context,
    output,
    updatedAt,
  });
  yield* ask('copyEvents', { from: row.pk, run: pk, tenant: target.tenant, upTo: row.seq });
  yield* copyMessages(yield* takeMessages(row, row.seq), target);
  yield* ask('copyEffects', { from: row.pk, run: pk, tenant: target.tenant, at: target.at });
  for (const { status, decision, ...asked } of yield* ask('listConfirmations', { run: row.pk })) {
    yield* ask('insertConfirmation', { ...asked, run: pk, tenant: target.tenant });
    if (decision !== null) yield* ask('decideConfirmation', { run: pk, call: asked.call, status, decision });
  }
  return pk;
}

export function* insertRun(row: RunRow, id: string, target: Target, createdAt: number): Program<number> {
  const { tenant, session } = target;
  const { pk } = yield* ask('insertRun', { ...row, tenant, session, id, createdAt });
  target.runs.set(row.pk, pk);
  return pk;
}

export function* copyMessages(messages: readonly MessageRow[], target: Target): Program<void> {
  const { tenant, session, runs } = target;
  for (const message of messages) {
    const run = runs.get(message.run) ?? 0;
    const body =
      message.role === 'summary'
        ? summaryOf(message.body, runs)
        : yield* withOwnParts(message.body, run, target);
    yield* tell('insertMessage', { ...message, tenant, session, run, body });
  }
}

/** Copies images and documents, because the original may be deleted before the copy. */
function* withOwnParts(text: string, run: number, { tenant, newId }: Target): Program<string> {
  if (!text.includes('"parts"')) return text;
  const body = JSON.parse(text) as { parts?: StoredPart[] };
  if (!body.parts) return text;
  const parts: StoredPart[] = [];
  for (const part of body.parts) {
    const original = yield* ask('findArtifact', { tenant, id: part.artifact });
    const artifact = original ? newId('art') : part.artifact;
    if (original) yield* tell('insertArtifact', { ...original, tenant, run, id: artifact });
    parts.push({ ...part, artifact });
  }
  return JSON.stringify({ ...body, parts });
}

function summaryOf(body: string, runs: Target['runs']): string {
  const summary = JSON.parse(body) as SummaryBody;
  const run = summary.head && runs.get(summary.head.run);
  if (summary.head && run !== undefined) summary.head = { ...summary.head, run };
  return JSON.stringify(summary);
}
