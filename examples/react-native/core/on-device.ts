import { type ChatModel, unanswered } from 'detent/core';

/** What runs a model on the phone: it calls `onText` with each piece, and resolves with the whole text. */
export type Complete = (
  prompt: string,
  onText: (piece: string) => void,
  signal: AbortSignal,
) => Promise<string>;

/**
 * A model on the device. It calls a tool by writing one line, `TOOL name {"…": …}`, as small models are taught to in their
 * instructions; all else is its answer.
 */
export function onDevice(complete: Complete): ChatModel {
  return {
    contextWindow: 8_192,
    maxOutputTokens: 1_024,
    async generate({ model, messages, tools }, { onDelta, signal }) {
      const offered = tools.map(({ name, description, parameters }) =>
        JSON.stringify({ name, description, parameters }),
      );
      const said = messages.map((message) => `${message.role}: ${'text' in message ? message.text : ''}`);
      const prompt = `Tools:\n${offered.join('\n')}\nTo call one, write only: TOOL name {arguments}\n\n${said.join('\n')}\nassistant:`;
      let whole = '';
      const text = await complete(
        prompt,
        (piece) => {
          whole += piece;
          // The beginning may still become a call.
          if (!'TOOL '.startsWith(whole.slice(0, 5))) onDelta({ type: 'text', text: piece });
        },
        signal,
      );
      const [, name, given] = /^TOOL (\w+) (\{[\s\S]*\})\s*$/.exec(text) ?? [];
      const answer = unanswered(model, null);
      if (name === undefined || given === undefined) return { ...answer, finish: 'stop', text };
      return { ...answer, finish: 'toolCalls', toolCalls: [{ id: '1', name, arguments: given }] };
    },
  };
}
