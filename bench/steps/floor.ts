import { createParser } from 'eventsource-parser';
import { openLog } from './floor-log.ts';
import { connect, type TransportName } from './floor-transports.ts';
import { type Lookup, prompt, type Subject, system, type Work } from './work.ts';

export interface FloorMode {
  transport: TransportName;
  /** Two commits a round, as few as keep "nothing happens before it is written", or none. */
  commits: 'none' | 'NORMAL' | 'FULL';
}

interface Call {
  id: string;
  name: string;
  arguments: string;
}

interface Chunk {
  choices: { delta?: Delta }[];
}

interface Delta {
  content?: string | null;
  tool_calls?: { id?: string; function: { name?: string; arguments: string } }[];
}

/** The least that does the work: a loop, a request, a stream parser. No validation, limits, time-outs or recovery. */
export async function createFloor(mode: FloorMode, work: Work, lookup: Lookup): Promise<Subject> {
  const post = await connect(mode.transport, `${work.url}/chat/completions`);
  const log = openLog(mode.commits, work.folder);
  const tools = [
    {
      type: 'function',
      function: {
        name: lookup.name,
        description: lookup.description,
        parameters: { type: 'object', properties: { step: { type: 'number' } }, required: ['step'] },
      },
    },
  ];
  const head = { model: `mock-${work.rounds}`, stream: true, stream_options: { include_usage: true }, tools };

  async function ask(messages: readonly unknown[]): Promise<{ text: string; call: Call | undefined }> {
    let text = '';
    let call: Call | undefined;
    const parser = createParser({
      onEvent({ data }) {
        if (data === '[DONE]') return;
        const delta = (JSON.parse(data) as Chunk).choices[0]?.delta;
        text += delta?.content ?? '';
        const piece = delta?.tool_calls?.[0];
        if (piece?.id) call = { id: piece.id, name: piece.function.name ?? '', arguments: '' };
        if (piece && call) call.arguments += piece.function.arguments;
      },
    });
    const decoder = new TextDecoder();
    await post(JSON.stringify({ ...head, messages }), (bytes) =>
      parser.feed(decoder.decode(bytes, { stream: true })),
    );
    return { text, call };
  }

  return {
    async run() {
      const run = log.begin();
      const messages: unknown[] = [
        { role: 'system', content: system },
        { role: 'user', content: prompt },
      ];
      for (;;) {
        const { text, call } = await ask(messages);
        if (!call) {
          log.commit(run, { role: 'assistant', content: text });
          return text;
        }
        const { id, ...called } = call;
        const answer = {
          role: 'assistant',
          content: null,
          tool_calls: [{ id, type: 'function', function: called }],
        };
        log.commit(run, answer);
        const { step } = JSON.parse(call.arguments) as { step: number };
        const result = { role: 'tool', tool_call_id: id, content: lookup.run(step) };
        log.commit(run, result);
        messages.push(answer, result);
      }
    },
    close: async () => log.close(),
  };
}
