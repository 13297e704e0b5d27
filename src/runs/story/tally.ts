import { noTokens, type Usage } from '../../protocol/usage.ts';
import type { AssistantBody, Said } from '../../records/messages.ts';

/** What the answers of an agent come to. It keeps one of them, however many there are. */
export class Tally {
  answers = 0;
  /** The newest answer. */
  last: AssistantBody | undefined;
  /** Of all model calls: those whose answers were withdrawn or became a summary, too. */
  readonly usage: Usage = { ...noTokens, costUsd: null };

  static of(messages: readonly Said[]): Tally {
    const tally = new Tally();
    for (const message of messages) tally.add(message);
    return tally;
  }

  add({ role, body }: Said): void {
    if (role === 'assistant') {
      this.answers++;
      this.last = body;
    }
    if (role === 'assistant' || role === 'summary' || role === 'withdrawn') this.#pay(body);
  }

  #pay({ usage, costUsd }: Pick<AssistantBody, 'usage' | 'costUsd'>): void {
    const total = this.usage;
    if (costUsd !== null) total.costUsd = (total.costUsd ?? 0) + costUsd;
    if (!usage) return;
    if (usage.estimated) total.estimated = true;
    total.inputTokens += usage.inputTokens;
    total.outputTokens += usage.outputTokens;
    total.cachedInputTokens += usage.cachedInputTokens;
    total.reasoningTokens += usage.reasoningTokens;
  }
}
