import * as z from 'zod';
import { type DetentOptions, defineTool } from '../../../src/index.ts';
import { type ScriptLine, scriptedModel } from '../../../src/testing/index.ts';
import { isPostgresUrl } from '../../../src/text/wording.ts';

/** A program that looks, and buys what a person has approved, on a database at an address or in a file. */
export function shopOptions(
  place: string,
  workspace: string,
  lines: readonly ScriptLine[],
  look: () => Promise<string>,
): DetentOptions {
  const parameters = z.object({});
  return {
    database: isPostgresUrl(place) ? { url: place } : { file: place },
    workspace,
    env: {},
    model: 'test/script',
    models: { test: scriptedModel(lines) },
    tools: {
      define: [
        defineTool({ name: 'look', description: 'Looks.', parameters, sideEffect: 'readonly', run: look }),
        defineTool({
          name: 'buy',
          description: 'Buys one.',
          parameters,
          sideEffect: 'unsafe',
          run: () => 'bought',
        }),
      ],
    },
  };
}

export const calls = (name: string): ScriptLine => ({ toolCalls: [{ name, arguments: {} }] });
