import type { RunView } from '../../../index.ts';
import { parseJson } from '../../../protocol/json.ts';
import type { ScriptedAnswer } from '../../../testing/script-file.ts';

/** What the model said in a run, as a file of `--model script/FILE` has it. Failures of a provider are left out. */
export function scriptOf({ steps }: RunView): ScriptedAnswer[] {
  return steps
    .filter(({ error }) => error === null)
    .map(({ text, reasoning, refusal, toolCalls }) => ({
      ...(text !== '' && { text }),
      ...(reasoning !== '' && { reasoning }),
      ...(refusal !== '' && { refusal, finish: 'refusal' as const }),
      ...(toolCalls.length > 0 && {
        toolCalls: toolCalls.map(({ name, argumentsRaw }) => ({
          name,
          arguments: parseJson(argumentsRaw) ?? argumentsRaw,
        })),
      }),
    }));
}
