import { describe, expect, it, onTestFinished } from 'vitest';
import { type DetentOptions, toolContent } from '../../src/index.ts';
import { createDetent } from '../../src/runtime/create-detent.ts';
import * as claude from '../models/anthropic/support.ts';
import * as openai from '../models/openai/responses/support.ts';
import { callChunks, chunk, done } from '../models/openai/support.ts';
import { serve, stream } from '../models/support/loopback.ts';
import { temporaryWorkspace, tool } from '../support/detent.ts';
import { pdf, png } from '../support/pictures.ts';
import { requestViolations } from '../support/wire-rules/anthropic-messages.ts';
import { chatCompletionViolations } from '../support/wire-rules/openai-chat.ts';
import { responsesViolations } from '../support/wire-rules/openai-responses.ts';

/** What a server of each wire streams: a call of `shot`, then words. */
const answers = {
  chat: [
    [
      callChunks({ index: 0, id: 'c1', function: { name: 'shot', arguments: '{}' } }),
      chunk({}, { finish: 'tool_calls' }),
      done,
    ],
    [chunk({ content: 'Two cats.' }, { finish: 'stop' }), done],
  ],
  responses: [
    [
      openai.created,
      openai.streamed(0, openai.functionCall('c1', 'shot', '{}'), '{}'),
      openai.completed([openai.functionCall('c1', 'shot', '{}')]),
    ],
    [
      openai.created,
      openai.streamed(0, openai.message('Two cats.'), 'Two cats.'),
      openai.completed([openai.message('Two cats.')]),
    ],
  ],
  messages: [
    [claude.messageStart(), claude.callBlock(0, 'c1', 'shot', '{}'), claude.messageEnd('tool_use')],
    [claude.messageStart(), claude.textBlock(0, 'Two cats.'), claude.messageEnd()],
  ],
};

const violations = {
  chat: (body: Record<string, unknown>) => chatCompletionViolations(body, 'gateway'),
  responses: responsesViolations,
  messages: requestViolations,
};

describe.each(['chat', 'responses', 'messages'] as const)('over the %s wire', (api) => {
  it('a run shows its model what the user attached, and what a tool returned', async () => {
    let asked = 0;
    const { baseURL, requests } = await serve((response) => stream(response, answers[api][asked++] ?? []));
    const shot = tool('shot', {
      run: () => toolContent('The page.', [{ data: png('shot'), name: 'page.png' }]),
    });
    const options: DetentOptions = {
      workspace: await temporaryWorkspace(),
      store: 'in-process',
      env: {},
      model: 'any/m',
      models: { any: { baseUrl: api === 'messages' ? baseURL.replace('/v1', '') : baseURL, api } },
      tools: { define: [shot], allowed: ['shot'] },
    };
    const detent = createDetent(options);
    onTestFinished(() => detent.close());
    const photo = { data: png('photo'), name: 'photo.png' };
    const { status, text } = await detent.run('What?', { attachments: [photo, { data: pdf() }] }).result;
    expect({ status, text }).toEqual({ status: 'done', text: 'Two cats.' });
    expect(requests).toHaveLength(2);
    const bodies = requests.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
    expect(bodies.flatMap((body) => violations[api](body))).toEqual([]);
    const sent = bodies.map((body) => base64In(body));
    const [first, second] = [png('photo'), pdf()].map((bytes) => bytes.toString('base64'));
    expect(sent).toEqual([
      [first, second],
      [first, second, png('shot').toString('base64')],
    ]);
  });
});

/** All bytes in a request, in order: base64 alone, or behind the head of a data URL. */
function base64In(value: unknown): string[] {
  if (typeof value === 'string') {
    const data = value.replace(/^data:[\w/]+;base64,/, '');
    return /^(iVBORw0KGgo|JVBERi0)[A-Za-z0-9+/]*={0,2}$/.test(data) ? [data] : [];
  }
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(base64In) : [];
}
