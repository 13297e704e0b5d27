import type { EffectJob, Fact } from '../engine/machine-host.ts';
import { ask } from '../engine/statements.ts';
import { messageOf } from '../protocol/error.ts';
import type { PromptMessage, ResolvedModel } from './chat-model.ts';
import { readConversation } from './conversation.ts';
import { preview } from './fit.ts';
import { writeMessage } from './message-rows.ts';
import { type Block, summaryHeading } from './projection.ts';
import { type RunOptions, usageOf } from './run-options.ts';
import type { AgentServices } from './services.ts';
import { estimateTokens } from './tokens.ts';

/** Share of the window that the newest blocks may keep through a compaction. */
const keptShare = 0.25;
/** Share of the window that the text to be summarised may fill. */
const summarisedShare = 0.7;
/** Shares of the window that a summary may fill, and the user's own words behind it: they are in every later prompt. */
const summaryShare = 0.15;
const anchorShare = 0.1;
const anchorChars = 500;
const gistChars = 300;

const instruction =
  'Summarise the conversation above for the one who will carry it on. Keep every fact, decision, name, number, path and open question that may still matter; leave out what is settled and will not come up again. Write plain sentences, no preface.';

/** Performs `effect.flush`: the gist of what is about to be compacted goes to the day's memory file. */
export async function flush(services: AgentServices, job: EffectJob): Promise<Fact> {
  const { effectId, run, idempotencyKey } = job;
  const { workspace } = JSON.parse(run.options) as RunOptions;
  try {
    const { blocks } = await readConversation(services.store, job, 0);
    const gist = blocks.map((block) =>
      block.kind === 'user'
        ? `user: ${oneLine(block.text)}`
        : block.body.text && `agent: ${oneLine(block.body.text)}`,
    );
    const lines = gist.filter((line) => line !== '').map(services.redact);
    await services.dayLog.append(workspace, services.clock.now(), idempotencyKey, lines);
    return { event: { type: 'flush.done', effectId } };
  } catch (error) {
    return flushFailed(effectId, error);
  }
}

export function flushFailed(effectId: number, error: unknown): Fact {
  return {
    event: {
      type: 'flush.failed',
      effectId,
      error: { code: 'FLUSH_FAILED', message: messageOf(error), retryable: true },
    },
  };
}

/** Performs `effect.compact`: the model writes a summary of all but the newest blocks; the rows stay. */
export async function compact(services: AgentServices, job: EffectJob): Promise<Fact> {
  const { effectId, run } = job;
  const options = JSON.parse(run.options) as RunOptions;
  const model = await services.models.resolve(options.model, options.endpoint);
  const { summary, blocks } = await readConversation(services.store, job, 0);
  // The provider may count more than our estimate: whatever the window is, at least half must go.
  const half = blocks.reduce((sum, block) => sum + blockTokens(block), 0) / 2;
  const cut = boundary(blocks, Math.min(model.contextWindow * keptShare, half));
  const old = blocks.slice(0, cut);
  const first = blocks[cut];
  if (old.length === 0 || !first)
    return compactFailed(effectId, new Error('there is nothing older to summarise'));
  const answer = await model.chat.generate(
    {
      model: model.model,
      messages: request(summary, old, model),
      tools: [],
      ...(options.stream === false && { stream: false }),
    },
    { signal: job.signal, idempotencyKey: job.idempotencyKey, onDelta: () => {} },
  );
  const usage = usageOf(answer, model.price);
  const cost = {
    inputTokens: usage.inputTokens,
    outputTokens: usage.outputTokens,
    costUsd: usage.costUsd ?? 0,
  };
  if (answer.error) return compactFailed(effectId, new Error(answer.error.message), cost);
  if (answer.text.trim() === '')
    return compactFailed(effectId, new Error('the model wrote an empty summary'), cost);
  const words = clipped(answer.text.trim(), model.contextWindow * summaryShare);
  const text = `${words}\n\n${anchors(summary, old, model.contextWindow * anchorShare)}`;
  return {
    event: { type: 'compact.done', effectId, cost },
    // Summary and pointer in one commit: a crash leaves the old prompt or the new one.
    *writes(scope) {
      const head = { run: first.run, seq: first.seq };
      const spent = { usage: answer.usage, costUsd: usage.costUsd };
      yield* writeMessage(scope, 'summary', { text, effectId, head, ...spent });
      yield* ask('moveSessionHead', { session: run.session, ...head });
    },
  };
}

export function compactFailed(
  effectId: number,
  error: unknown,
  cost = { inputTokens: 0, outputTokens: 0, costUsd: 0 },
): Fact {
  const failure = { code: 'COMPACT_FAILED', message: messageOf(error), retryable: true };
  return { event: { type: 'compact.failed', effectId, error: failure, cost } };
}

/**
 * Index of the first block that is kept: the newest ones that fit in `maxTokens`, at least one. All rows of kept blocks
 * lie behind all rows of older ones, so one pointer can tell them apart.
 */
export function boundary(blocks: readonly Block[], maxTokens: number): number {
  let cut = blocks.length - 1;
  let tokens = blockTokens(blocks[cut]);
  while (cut > 0) {
    tokens += blockTokens(blocks[cut - 1]);
    if (tokens > maxTokens) break;
    cut--;
  }
  while (cut > 0 && !isBehind(blocks, cut)) cut--;
  return Math.max(0, cut);
}

function isBehind(blocks: readonly Block[], cut: number): boolean {
  const first = blocks.slice(cut).reduce((least, block) => (isBefore(block, least) ? block : least));
  const isOlder = ({ run, end }: Block) => run < first.run || (run === first.run && end < first.seq);
  return first === blocks[cut] && blocks.slice(0, cut).every(isOlder);
}

function isBefore(a: Block, b: Block): boolean {
  return a.run < b.run || (a.run === b.run && a.seq < b.seq);
}

function blockTokens(block: Block | undefined): number {
  if (!block) return 0;
  return estimateTokens(textOf(block, Number.POSITIVE_INFINITY));
}

function request(
  summary: string | null,
  old: readonly Block[],
  { contextWindow }: ResolvedModel,
): PromptMessage[] {
  const room = contextWindow * summarisedShare;
  // Long tool results first lose their middle; then the oldest blocks give way.
  for (const each of [4_000, 1_000, 200]) {
    const text = transcript(summary, old, each);
    if (estimateTokens(text) <= room) return asking(text);
  }
  let from = 1;
  while (from < old.length && estimateTokens(transcript(summary, old.slice(from), 200)) > room) from++;
  return asking(transcript(summary, old.slice(from), 200));
}

function asking(text: string): PromptMessage[] {
  return [
    { role: 'user', text },
    { role: 'user', text: instruction },
  ];
}

function transcript(summary: string | null, blocks: readonly Block[], maxChars: number): string {
  const earlier = summary === null ? [] : [`${summaryHeading}\n${summary}`];
  return [...earlier, ...blocks.map((block) => textOf(block, maxChars))].join('\n\n');
}

function textOf(block: Block, maxChars: number): string {
  if (block.kind === 'user') return `User: ${preview(block.text, maxChars)}`;
  const { body, results } = block;
  const calls = body.toolCalls.map((call, i) => {
    const result = results[i]?.text ?? '';
    return `Assistant called ${call.name}(${preview(call.arguments, maxChars)}), result: ${preview(result, maxChars)}`;
  });
  const said = body.text || body.refusal;
  return [...(said ? [`Assistant: ${preview(said, maxChars)}`] : []), ...calls].join('\n');
}

/** What the user asked for is kept in the user's own words: a summary may lose the thread, these do not. */
function anchors(summary: string | null, old: readonly Block[], maxTokens: number): string {
  const words = old.flatMap((block) =>
    block.kind === 'user' ? [`- ${oneLine(block.text, anchorChars)}`] : [],
  );
  const earlier = summary?.split(`${anchorHeading}\n`)[1]?.split('\n') ?? [];
  const kept = [...earlier, ...words].slice(-maxAnchors);
  while (kept.length > 1 && estimateTokens(kept.join('\n')) > maxTokens) kept.shift();
  return `${anchorHeading}\n${kept.join('\n')}`;
}

/** A token is at least one character, so as many characters as tokens always fit. */
function clipped(text: string, maxTokens: number): string {
  return estimateTokens(text) <= maxTokens ? text : preview(text, Math.floor(maxTokens));
}

const anchorHeading = 'What the user said, in order:';
const maxAnchors = 40;

function oneLine(text: string, maxChars = gistChars): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > maxChars ? `${line.slice(0, maxChars)}…` : line;
}
