import type { Page } from 'playwright-core';
import type { DetentOptions } from '../../src/index.ts';
import type { ChatModel } from '../../src/protocol/ports/chat-model.ts';

/** An answer as it streams: its pieces, and between them what they wait for. */
interface StreamedAnswer {
  pieces: readonly (string | ((signal: AbortSignal) => Promise<unknown>))[];
  error?: { message: string; retryable: boolean; retryAfterMs?: number };
}

/** Options of a Detent whose model says these answers, in this order, piece by piece. */
export function streaming(answers: readonly StreamedAnswer[]): DetentOptions {
  let next = 0;
  const model: ChatModel = {
    async generate(request, { onDelta, signal }) {
      const { pieces, error } = answers[next++] ?? { pieces: ['More was asked for than there is.'] };
      let text = '';
      for (const piece of pieces)
        if (typeof piece === 'string') {
          text += piece;
          onDelta({ type: 'text', text: piece });
        } else await piece(signal);
      return {
        model: request.model,
        text,
        reasoning: '',
        refusal: '',
        toolCalls: [],
        finish: 'stop',
        finishReason: 'stop',
        usage: { inputTokens: 10, outputTokens: 5, cachedInputTokens: 0, reasoningTokens: 0 },
        error: error ? { kind: 'server', code: 'MODEL_SERVER', ...error } : null,
      };
    },
  };
  return { model: 'streaming/model', models: { streaming: model } };
}

/** Sends a message from the chat. */
export async function say(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: /^(?:Message|消息)$/ }).fill(text);
  await page.keyboard.press('Enter');
}

/** The conversation that is open. */
export function story(page: Page) {
  return page.locator('section.scroller');
}

/** Names in the margin, from the oldest. */
export function marks(page: Page): Promise<string[]> {
  return story(page).locator('.ent > .g b').allTextContents();
}
