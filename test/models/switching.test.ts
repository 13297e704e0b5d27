import { describe, expect, it } from 'vitest';
import { toBlocks } from '../../src/agent/messages/blocks.ts';
import { toPrompt } from '../../src/agent/prompt/projection.ts';
import { messagesRequestBody } from '../../src/models/anthropic/messages-request.ts';
import { quirksOf } from '../../src/models/catalogue/presets.ts';
import { chatRequestBody } from '../../src/models/openai/chat-request.ts';
import { responsesRequestBody } from '../../src/models/openai/responses/responses-request.ts';
import type { PromptMessage } from '../../src/protocol/ports/chat-model.ts';
import type { AssistantBody, StoredMessage } from '../../src/store/stored-message.ts';
import { type Saying, speak, type Wire, wires } from '../agent/random/voices.ts';
import { threaded } from '../agent/random/wires.ts';
import { requestViolations } from '../support/wire-rules/anthropic-messages.ts';
import { chatCompletionViolations } from '../support/wire-rules/openai-chat.ts';
import { responsesViolations } from '../support/wire-rules/openai-responses.ts';
import { type Fields, fieldsOf, listOf } from '../support/wire-rules/rule.ts';
import { stateless } from './support/generate.ts';

const thought = 'a thought of its own';
const long = 'x'.repeat(70);
/** Ids as only one provider would make them. */
const ids: Readonly<Record<Wire, [string, string]>> = {
  chat: ['functions.look:0', 'functions.look:1'],
  responses: [`call_${long}`, `call_${long}b`],
  messages: ['toolu_01', 'toolu_02'],
};

/** A session in which a model of one wire thought, spoke and called two tools. */
function sessionOn(wire: Wire, forms: Saying['thoughtForm'] = 'signed'): StoredMessage[] {
  const saying: Saying = {
    text: 'Let me look.',
    refusal: '',
    toolCalls: ids[wire].map((id) => ({ id, name: 'look', arguments: '{}' })),
    finish: 'toolCalls',
    thought,
    thoughtForm: forms,
    serverCall: 'answered',
    cutAt: null,
  };
  let made = 0;
  const asking = {
    model: 'm',
    messages: [{ role: 'user' as const, text: 'go' }],
    threading: true,
    nextId: () => made++,
  };
  const { error, toolCalls, ...answer } = speak(wire, saying, asking, null).answer;
  expect(error).toBeNull();
  const body: AssistantBody = {
    ...answer,
    effectId: 1,
    upTo: 1,
    provider: `${wire}/m`,
    costUsd: null,
    toolCalls: toolCalls.map((call, i) => ({ callId: i + 2, ...call })),
    error: null,
  };
  const result = (callId: number) => ({
    callId,
    text: `result ${callId}`,
    isError: false,
    code: null,
    status: 'done' as const,
  });
  return [
    { run: 1, seq: 1, at: 0, role: 'user', body: { text: 'go' } },
    { run: 1, seq: 2, at: 0, role: 'assistant', body },
    { run: 1, seq: 3, at: 0, role: 'tool', body: result(2) },
    { run: 1, seq: 4, at: 0, role: 'tool', body: result(3) },
  ];
}

function promptFor(wire: Wire, messages: StoredMessage[]): PromptMessage[] {
  return toPrompt(toBlocks(messages), { system: 'Be brief.', summary: null, provider: `${wire}/m` });
}

function bodyOf(wire: Wire, messages: PromptMessage[]): Fields {
  const request = { model: 'm', messages, tools: [] };
  if (wire === 'chat') return chatRequestBody(request, quirksOf('', 'openrouter'));
  if (wire === 'responses') return responsesRequestBody(request, stateless);
  return messagesRequestBody(request, { maxTokens: null, promptCaching: true, thinking: null });
}

function violations(wire: Wire, body: Fields): string[] {
  if (wire === 'chat') return chatCompletionViolations(body, 'gateway');
  return wire === 'responses' ? responsesViolations(body) : requestViolations(body);
}

/** The ids of calls and of results, in order, as the wire has them. */
function pairs(wire: Wire, body: Fields): { asked: unknown[]; answered: unknown[] } {
  if (wire === 'responses') {
    const of = (type: string) =>
      listOf(body.input)
        .filter((item) => item.type === type)
        .map((item) => item.call_id);
    return { asked: of('function_call'), answered: of('function_call_output') };
  }
  const messages = listOf(body.messages);
  if (wire === 'chat')
    return {
      asked: messages.flatMap(({ tool_calls: calls }) => listOf(calls).map(({ id }) => id)),
      answered: messages.filter(({ role }) => role === 'tool').map((message) => message.tool_call_id),
    };
  const blocks = messages.flatMap(({ content }) => listOf(content));
  return {
    asked: blocks.filter(({ type }) => type === 'tool_use').map(({ id }) => id),
    answered: blocks.filter(({ type }) => type === 'tool_result').map((block) => block.tool_use_id),
  };
}

const both = wires.flatMap((from) => wires.filter((to) => to !== from).map((to): [Wire, Wire] => [from, to]));

describe('a session that goes on at another provider', () => {
  it.each(both)(
    'from %s to %s keeps words, calls and results, under ids that are valid there',
    (from, to) => {
      const body = bodyOf(to, promptFor(to, sessionOn(from)));
      expect(violations(to, body)).toEqual([]);
      const { asked, answered } = pairs(to, body);
      expect(asked).toHaveLength(2);
      expect(answered).toEqual(asked);
      const text = JSON.stringify(body);
      for (const kept of ['Let me look.', 'result 2', 'result 3']) expect(text).toContain(kept);
    },
  );

  it.each(both)('from %s to %s leaves behind what is private to the one before', (from, to) => {
    for (const form of ['plain', 'signed', 'encrypted'] as const) {
      const text = JSON.stringify(bodyOf(to, promptFor(to, sessionOn(from, form))));
      for (const own of [thought, 'c2ln', 'b3Bh', 'gAAA', 'srvtoolu', 'ws_', 'rs_', 'resp_'])
        expect(text).not.toContain(own);
    }
  });

  it.each(both)('from %s to %s and back has its own thoughts again', (from, to) => {
    const there = sessionOn(from);
    const [, answer] = sessionOn(to);
    const elsewhere = [
      { run: 2, seq: 1, at: 0, role: 'user', body: { text: 'and now?' } },
      { ...answer, run: 2, seq: 2, body: { ...fieldsOf(answer?.body), toolCalls: [] } },
      { run: 3, seq: 1, at: 0, role: 'user', body: { text: 'and again?' } },
    ] as StoredMessage[];
    const body = bodyOf(from, promptFor(from, [...there, ...elsewhere]));
    expect(violations(from, body)).toEqual([]);
    expect(JSON.stringify(body).split(thought)).toHaveLength(2);
  });

  it.each(both)('from %s to %s is valid also where both have one provider word', (from, to) => {
    const prompt = promptFor(from, sessionOn(from));
    expect(violations(to, bodyOf(to, prompt))).toEqual([]);
  });
});

describe('a thread of responses', () => {
  const prompt = () => promptFor('responses', sessionOn('responses', 'none'));
  const inputOf = (messages: PromptMessage[]) => {
    const { previous_response_id: previous, input } = responsesRequestBody(
      { model: 'm', messages, tools: [] },
      threaded,
    );
    return { previous, types: listOf(input).map(({ type, role }) => role ?? type) };
  };
  const outputs = ['function_call_output', 'function_call_output'];

  it('goes on with the results, and with the words that steer the run', () => {
    // The prompt of the answer had no instructions, which count for nothing.
    expect(inputOf(prompt())).toEqual({ previous: expect.stringMatching(/^resp_/), types: outputs });
    expect(inputOf([...prompt(), { role: 'user', text: 'rather not' }]).types).toEqual([...outputs, 'user']);
  });

  it('goes back to the response before the one that a crash has lost', () => {
    const beforeTheCrash = inputOf([...prompt(), { role: 'user', text: 'and?' }]);
    const after = inputOf([...prompt(), { role: 'user', text: 'and?' }, { role: 'user', text: 'hello?' }]);
    expect(after).toEqual({ previous: beforeTheCrash.previous, types: [...outputs, 'user', 'user'] });
  });

  it('sends what another provider said meanwhile, and leaves the thread when there is no answer of its own', () => {
    const other: PromptMessage = { role: 'assistant', text: 'From elsewhere.', reasoning: '', toolCalls: [] };
    const again: PromptMessage = { role: 'user', text: 'and?' };
    expect(inputOf([...prompt(), other, again]).types).toEqual([...outputs, 'assistant', 'user']);
    expect(inputOf(promptFor('messages', sessionOn('responses', 'none'))).previous).toBeUndefined();
  });

  it('is left where a summary stands for what came before', () => {
    const blocks = toBlocks(sessionOn('responses', 'none')).slice(1);
    const frame = { system: '', summary: 'They said much.', provider: 'responses/m' };
    const { previous, types } = inputOf(toPrompt(blocks, frame));
    expect(previous).toBeUndefined();
    expect(types[0]).toBe('user');
    expect(types.slice(-2)).toEqual(outputs);
  });
});
