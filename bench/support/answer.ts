import * as z from 'zod';
import { defineTool } from '../../src/index.ts';
import type { ModelAnswer } from '../../src/protocol/content.ts';

/** What a scripted model answers: words, or a call of a tool without arguments. */
export function answered(text: string, tool?: string): ModelAnswer {
  return {
    model: 'scripted',
    text,
    reasoning: '',
    refusal: '',
    toolCalls: tool === undefined ? [] : [{ id: 'a', name: tool, arguments: '{}' }],
    finishReason: null,
    finish: tool === undefined ? 'stop' : 'toolCalls',
    usage: { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0, reasoningTokens: 0 },
    error: null,
  };
}

/** The tool that scripted models call. */
export const look = defineTool({
  name: 'look',
  description: 'Looks something up.',
  parameters: z.object({}),
  sideEffect: 'readonly',
  run: () => 'found it',
});
