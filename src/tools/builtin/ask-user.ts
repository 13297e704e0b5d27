import { defineTool, type Tool, ToolFailure } from '../../protocol/tool.ts';
import * as z from '../../text/schema-kinds.ts';

const maxOptions = 20;

// Strict, so that the tool refuses a call in which the model wrote the answer itself.
const parameters = z.strictObject({
  question: z.string().trim().min(1).max(4_000).describe('One question, in the language of the user'),
  options: z
    .array(z.string().trim().min(1).max(500))
    .min(2)
    .max(maxOptions)
    .refine((options) => new Set(options).size === options.length, 'the options must differ')
    .optional()
    .describe('The possible answers; without them the user answers freely'),
  multiple: z.boolean().optional().describe('Whether several options can be chosen; default false'),
});

/** `ask_user`: the run waits until a person answers, however long that takes, and in whichever process. */
export function askUserTool(): Tool {
  return defineTool({
    name: 'ask_user',
    description:
      'Asks the user a question and waits for the answer. Use it when you cannot continue well without knowing what they ' +
      'want; do not ask what you can find out. With options the answer is one of them, or several with multiple.',
    parameters,
    sideEffect: 'readonly',
    question: ({ question, options, multiple }) => ({
      text: question,
      ...(options && { options }),
      ...(options && multiple && { multiple }),
    }),
    run: (_, { answer }) => {
      if (answer === undefined) throw new ToolFailure('NOT_ANSWERED', 'nobody has answered');
      return answer;
    },
  });
}
