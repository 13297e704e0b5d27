import { defineTool, ownArguments, type Tool, ToolFailure } from '../../protocol/tool.ts';

const maxOptions = 20;

// With no others, so that the tool refuses a call in which the model wrote the answer itself.
const parameters = ownArguments(
  {
    question: {
      type: 'string',
      minLength: 1,
      maxLength: 4_000,
      description: 'One question, in the language of the user',
    },
  },
  {
    options: {
      type: 'array',
      items: { type: 'string', minLength: 1, maxLength: 500 },
      minItems: 2,
      maxItems: maxOptions,
      description: 'The possible answers; without them the user answers freely',
    },
    multiple: { type: 'boolean', description: 'Whether several options can be chosen; default false' },
  },
  {
    trimmed: ['question', 'options'],
    problemOf: ({ options = [] }) =>
      new Set(options).size === options.length ? undefined : 'the options must differ',
  },
);

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
