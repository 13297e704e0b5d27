import { newRunCache } from '../../../src/agent/effect/run-effect.ts';
import { toPrompt } from '../../../src/agent/prompt/projection.ts';
import { readConversation } from '../../../src/agent/prompt/read-conversation.ts';
import { createMachineHosts } from '../../../src/engine/machine/machine-hosts.ts';
import { Conversations } from '../../../src/memory/conversations/conversations.ts';
import { IndexThread } from '../../../src/memory/index/index-client.ts';
import type { PromptMessage } from '../../../src/protocol/ports/chat-model.ts';
import { importedHost } from '../../../src/runs/rows/imported.ts';
import { Sessions } from '../../../src/runs/sessions/sessions.ts';
import { openInMemory } from '../../../src/store/sql/in-memory.ts';
import type { Store } from '../../../src/store/store.ts';

export const tenant = 1;

/** The operations on the sessions of a store without a driver. */
export function sessionsOf(store: Store, redact = (text: string) => text): Sessions {
  return new Sessions({
    store,
    runs: { cancel: () => Promise.reject(new Error('there is no engine')) },
    hosts: createMachineHosts([importedHost]),
    clock: { now: () => 5_000, wakeAt: () => () => {}, hold: () => () => {} },
    isDriven: () => false,
    redact,
    conversations: new Conversations({
      store,
      thread: new IndexThread(),
      indexFile: (tenant) => `:memory:${tenant}`,
    }),
    sdkVersion: 'detent/test',
  });
}

export function exported(store: Store, key: string): Promise<string[]> {
  return Array.fromAsync(sessionsOf(store).export(tenant, key));
}

export function fileOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

/** A fresh store that holds nothing but what was imported. */
export async function imported(lines: readonly string[], key?: string) {
  const store = openInMemory();
  const result = await sessionsOf(store).import(tenant, fileOf(lines), key);
  return { store, ...result };
}

/** What a model would be asked with if the conversation went on. */
export async function promptOf(store: Store, key: string, provider = 'puppet/m'): Promise<PromptMessage[]> {
  const [last] = await store.query('listRuns', { tenant, limit: 1 });
  if (last?.sessionKey !== key) throw new Error(`the last run is not of session ${key}`);
  const { summary, blocks } = await readConversation(store, { run: last, cache: newRunCache() }, 0);
  return toPrompt(blocks, { system: '', summary, provider });
}

/** The same whatever ids its calls have: those of the provider may have been empty, or taken. */
export function withoutIds(prompt: readonly PromptMessage[]): unknown[] {
  const numbers = new Map<string, number>();
  return prompt.map((message) => {
    if (message.role === 'assistant') {
      for (const { id } of message.toolCalls) numbers.set(id, numbers.size);
      return {
        ...message,
        toolCalls: message.toolCalls.map((call) => ({ ...call, id: numbers.get(call.id) })),
      };
    }
    return message.role === 'tool' ? { ...message, toolCallId: numbers.get(message.toolCallId) } : message;
  });
}
