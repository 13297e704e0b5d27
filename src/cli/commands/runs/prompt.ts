import type { RunPrompt } from '../../../index.ts';
import { withPort } from '../../drive/with-detent.ts';
import type { Ask } from '../../port/port.ts';
import { type Flags, usage, wholeNumber } from '../../settings/flags.ts';
import { loadOptions } from '../../settings/load-options.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { onRun } from './follow.ts';

/** `detent runs show RUN --prompt [SEQ]`. */
export async function showPrompt(named: string, flags: Flags, io: Io): Promise<number> {
  if (flags.script) throw usage('choose one of --script and --prompt');
  const seq = wholeNumber(flags, 'prompt', 0);
  const options = await loadOptions(flags, io);
  // A Detent that only reads has no shell, whose tools the model may have been offered.
  const prompt = await onRun(withPort, options, named, ({ ask }, runId) =>
    readPrompt(ask, { runId, ...(seq !== undefined && { seq }) }),
  );
  if (flags.json) io.json(prompt);
  else io.out(`${describePrompt(prompt)}\n`);
  return exit.ok;
}

async function readPrompt(ask: Ask, place: { runId: string; seq?: number }): Promise<RunPrompt> {
  const { nextFrom, ...whole }: RunPrompt = await ask('run.prompt', { ...place, from: 0 });
  for (let from = nextFrom; from !== undefined; ) {
    const page: RunPrompt = await ask('run.prompt', { ...place, from });
    whole.messages.push(...page.messages);
    whole.tools.push(...page.tools);
    from = page.nextFrom;
  }
  return whole;
}

function describePrompt(prompt: RunPrompt): string {
  const { runId, seq, answeredAt, model, messages, tools, output } = prompt;
  const until = answeredAt === null ? 'no answer yet' : `its answer is seq ${answeredAt}`;
  return [
    `run      ${runId}, as it stood at seq ${seq}; ${until}`,
    `model    ${model}`,
    `tokens   ${describeSize(prompt)}`,
    ...messages.flatMap(describeMessage),
    ...(output ? ['', `--- output schema ${JSON.stringify(output)}`] : []),
    ...tools.flatMap(({ name, description, parameters }) => [
      '',
      `--- tool ${name} ${JSON.stringify(parameters)}`,
      description,
    ]),
  ].join('\n');
}

function describeSize({ tokens, tokensThen }: RunPrompt): string {
  if (tokensThen === null)
    return `${tokens}, estimated. Rebuilt from the log; the size of the original was not stored`;
  if (tokensThen === tokens) return `${tokens}, estimated, as when it was sent. Rebuilt from the log`;
  return `${tokens}, estimated, but ${tokensThen} when it was sent: this is not exactly what was sent, because tools, skills or settings have changed since`;
}

function describeMessage(message: RunPrompt['messages'][number]): string[] {
  const { role, text, reasoning, toolCalls = [], name, toolCallId, isError, parts = [] } = message;
  const of = role === 'tool' ? ` result of ${name} (${toolCallId})${isError ? ', an error' : ''}` : '';
  return [
    '',
    `--- ${role}${of}`,
    ...(reasoning === undefined ? [] : [`(thinking) ${reasoning}`]),
    ...(text === '' ? [] : [text]),
    ...toolCalls.map((call) => `(calls ${call.name} (${call.id})) ${call.arguments}`),
    ...parts.map((part) => `[${part}]`),
  ];
}
