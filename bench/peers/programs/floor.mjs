// The least that does the work: a loop over `fetch`. No validation, limits, time-outs or recovery. Modes: `in memory`; `NORMAL` and `FULL`
// with two commits a round, as few as keep "nothing happens before it is written".
import { join } from 'node:path';

export async function open({ url, mode, folder, model, system, prompt, tool, lookup }) {
  const log = mode === 'in memory' ? null : await openLog(join(folder, `floor-${process.pid}.db`), mode);
  const parameters = { type: 'object', properties: { step: { type: 'number' } }, required: ['step'] };
  const head = {
    model,
    stream: true,
    stream_options: { include_usage: true },
    tools: [{ type: 'function', function: { ...tool, parameters } }],
  };
  return {
    async run() {
      const messages = [
        { role: 'system', content: system },
        { role: 'user', content: prompt },
      ];
      for (;;) {
        const { text, call } = await ask(`${url}/chat/completions`, { ...head, messages });
        const answer = call
          ? { role: 'assistant', content: null, tool_calls: [call] }
          : { role: 'assistant', content: text };
        log?.write(answer);
        if (!call) return text;
        const { step } = JSON.parse(call.function.arguments);
        const result = { role: 'tool', tool_call_id: call.id, content: lookup(step) };
        log?.write(result);
        messages.push(answer, result);
      }
    },
    async close() {
      log?.close();
      return null;
    },
  };
}

async function ask(url, body) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer x' },
    body: JSON.stringify(body),
  });
  let [text, call, rest] = ['', null, ''];
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    const events = `${rest}${piece}`.split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) {
      const data = event.slice('data: '.length);
      const delta = data === '[DONE]' ? undefined : JSON.parse(data).choices[0]?.delta;
      text += delta?.content ?? '';
      const [part] = delta?.tool_calls ?? [];
      if (part?.id) call = { id: part.id, type: 'function', function: { ...part.function } };
      else if (part) call.function.arguments += part.function.arguments;
    }
  }
  return { text, call };
}

async function openLog(file, synchronous) {
  const { DatabaseSync } = await import('node:sqlite');
  const db = new DatabaseSync(file);
  db.exec(`pragma journal_mode = wal; pragma synchronous = ${synchronous}`);
  db.exec('create table messages (id integer primary key, body text) strict');
  const insert = db.prepare('insert into messages (body) values (?)');
  return { write: (message) => insert.run(JSON.stringify(message)), close: () => db.close() };
}
