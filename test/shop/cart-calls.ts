import { openShop } from '../../src/shop/open-shop.ts';
import { createToolbox } from '../../src/tools/toolbox.ts';

/** A device of a user: its own connection to the shop's file, and a session of its own. */
export function conversationIn(file: string, sessionId = 'device') {
  const shop = openShop({ file });
  const toolbox = createToolbox({ tools: [...shop.tools], allowed: null });
  const call = async (tool: string, args: object, idempotencyKey: string) => {
    const { text, data } = await toolbox.run(tool, JSON.stringify(args), {
      runId: 'run',
      sessionId,
      callId: idempotencyKey,
      idempotencyKey,
      principal: { tenantId: 1, userId: 'ann', claims: {} },
      workspace: null,
      signal: new AbortController().signal,
      charge() {},
      log() {},
      progress() {},
    });
    return { text, data };
  };
  return { shop, call };
}
