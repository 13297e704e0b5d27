import { onTestFinished } from 'vitest';
import type { DetentOptions } from '../../src/index.ts';
import type { ChatModel } from '../../src/protocol/ports/chat-model.ts';
import { createDetent } from '../../src/runtime/create-detent.ts';
import { expectReplays } from '../support/left-behind.ts';

/** Options of one of several drivers of the database of a workspace. */
function sharing(workspace: string, model: ChatModel, options: DetentOptions = {}): DetentOptions {
  return {
    workspace,
    env: {},
    model: 'test/script',
    ...options,
    models: { test: model, ...options.models },
  };
}

/** A driver of its own, with its own lock and socket, as another process has them. */
export function driver(workspace: string, model: ChatModel, options: DetentOptions = {}) {
  const detent = createDetent(sharing(workspace, model, options));
  onTestFinished(async () => {
    await expectReplays(detent);
    await detent.close();
  });
  return detent;
}

/** Waits for something that another driver does. */
export async function until<T>(look: () => T | Promise<T>, is: (found: T) => boolean): Promise<T> {
  for (;;) {
    const found = await look();
    if (is(found)) return found;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
