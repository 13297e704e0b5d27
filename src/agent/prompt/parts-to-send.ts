import {
  type Acceptable,
  base64Bytes,
  type ContentPart,
  describePart,
  isBase64,
  maxPartBytes,
  maxParts,
  mediaTypeOfBase64,
  neededFor,
  type StoredPart,
  sizeText,
} from '../../protocol/content.ts';
import type { ToolBody } from '../../store/stored-message.ts';
import { outputOf } from '../../store/stored-run.ts';
import type { RunCache, RunJob } from '../effect/run-effect.ts';
import type { Store } from '../effect/statements.ts';
import type { Block } from '../messages/blocks.ts';

/** For each part of a prompt, by its artifact: its bytes, or why it is left out. */
export type PartsToSend = ReadonlyMap<string, ContentPart | { leftOut: string }>;

/** The model to call. */
interface Taker {
  /** The provider's own id of the model. */
  model: string;
  accepts: readonly Acceptable[];
}

/**
 * Decides which images and documents of a conversation a model gets, and loads their bytes.
 *
 * The model gets all of them, newest first, as far as it accepts them and one request can hold them. Parts of a run whose
 * request the provider refused are left out: they may be the reason, and every later request would fail for them, too.
 */
export async function partsToSend(
  store: Store,
  { run, cache }: Pick<RunJob, 'run'> & { cache: Pick<RunCache, 'parts'> },
  blocks: readonly Block[],
  taker: Taker,
): Promise<PartsToSend> {
  const sent = new Map<string, ContentPart | { leftOut: string }>();
  if (!blocks.some(hasParts)) return sent;
  const refused = await refusedRuns(store, run, blocks);
  let count = 0;
  let bytes = 0;
  for (const block of blocks.toReversed())
    for (const part of partsOf(block).toReversed()) {
      const isRefused = refused.has(block.run);
      const isFull = !isRefused && (count === maxParts || bytes + part.bytes > maxPartBytes);
      const found =
        whyNot(part, taker) ??
        (isFull ? tooMany : await load(store, { tenant: run.tenant, loaded: cache.parts }, part)) ??
        notStored;
      const why = typeof found === 'string' ? found : whyNot(found, taker);
      // A part that was never sent did not cause the refusal, so it keeps the note of earlier prompts.
      const leftOut = why ?? (isRefused ? refusedWith : null);
      if (leftOut !== null || typeof found === 'string') {
        sent.set(part.artifact, { leftOut: String(leftOut) });
        continue;
      }
      sent.set(part.artifact, found);
      count++;
      bytes += base64Bytes(found.data);
    }
  return sent;
}

const notStored = 'its bytes are not stored here';
const refusedWith =
  'the provider refused the run that it came with; attach it again if it was not the reason';
const tooMany = `a request holds ${maxParts} files and ${sizeText(maxPartBytes)}, and newer ones come first`;

/** Why a model does not get a part; null when it does. */
export function whyNot(part: Pick<StoredPart, 'type'>, { model, accepts }: Taker): string | null {
  const needed = neededFor(part);
  return accepts.includes(needed) ? null : `${model} takes no ${needed === 'image' ? 'images' : 'PDF files'}`;
}

/** A text and its parts as prompt content, with a note in place of each part that is left out. */
export function withParts(
  text: string,
  parts: readonly StoredPart[] | undefined,
  sent: PartsToSend | undefined,
): { text: string; parts?: readonly ContentPart[] } {
  if (!parts?.length) return { text };
  const shown: ContentPart[] = [];
  const words = text === '' ? [] : [text];
  for (const part of parts) {
    const found = sent?.get(part.artifact);
    if (found && 'data' in found) shown.push(found);
    else words.push(`[${describePart(part)}${found ? `, left out: ${found.leftOut}` : ''}]`);
  }
  return { text: words.join('\n'), ...(shown.length > 0 && { parts: shown }) };
}

/** A key that changes when a block's parts are projected differently; empty for a block without parts. */
export function partsKey(block: Block, sent: PartsToSend | undefined): string {
  if (!hasParts(block)) return '';
  return partsOf(block)
    .map(({ artifact }) => {
      const found = sent?.get(artifact);
      return ` ${found && 'leftOut' in found ? found.leftOut : Boolean(found)}`;
    })
    .join('');
}

/** A result with notes in place of its images and documents. */
export function withoutParts({ parts = [], ...result }: ToolBody): ToolBody {
  if (parts.length === 0) return result;
  const words = parts.map(
    (part) => `[${describePart(part)}, shown before; call the tool again to see it again]`,
  );
  return { ...result, text: [...(result.text === '' ? [] : [result.text]), ...words].join('\n') };
}

/** All parts of a block, in order. */
export function partsOf(block: Block): readonly StoredPart[] {
  return block.derive(listParts);
}

function listParts(block: Block): readonly StoredPart[] {
  const parts =
    block.kind === 'user' ? [block.parts ?? []] : block.results.map((result) => result.parts ?? []);
  return parts.flat();
}

function hasParts(block: Block): boolean {
  return partsOf(block).length > 0;
}

/** Error codes of a request that can never succeed unchanged. */
const refusals: ReadonlySet<string> = new Set(['MODEL_BAD_REQUEST', 'CONTEXT_OVERFLOW']);

/** Earlier runs with parts whose request the provider refused, so that no model answered them. */
async function refusedRuns(
  store: Store,
  { pk, session }: RunJob['run'],
  blocks: readonly Block[],
): Promise<ReadonlySet<number>> {
  const unanswered = new Set<number>();
  for (const block of blocks) {
    if (block.kind === 'answer') unanswered.delete(block.run);
    if (block.run !== pk && hasParts(block)) unanswered.add(block.run);
  }
  if (unanswered.size === 0) return unanswered;
  const runs = await store.query('listRunsOf', { session, limit: Number.MAX_SAFE_INTEGER });
  const refused = runs.filter(
    (run) => unanswered.has(run.pk) && refusals.has(outputOf(run)?.error?.code ?? ''),
  );
  return new Set(refused.map((run) => run.pk));
}

/** @param loaded the run's cache of bytes, which do not change and which each call needs again */
async function load(
  store: Store,
  { tenant, loaded }: { tenant: number; loaded: RunCache['parts'] },
  { artifact, name }: StoredPart,
): Promise<ContentPart | null> {
  const known = loaded.get(artifact);
  if (known) return known;
  const row = await store.query('findArtifact', { tenant, id: artifact });
  // An imported file may declare a wrong media type, and a provider refuses the whole request for it.
  const type = row?.encoding === 'base64' && isBase64(row.body) ? mediaTypeOfBase64(row.body) : null;
  if (!row || !type) return null;
  const part: ContentPart = { ...type, ...(name !== undefined && { name }), data: row.body };
  loaded.set(artifact, part);
  return part;
}
