import { describe, expect, it } from 'vitest';
import { blockText } from '../../../src/agent/compaction/transcript.ts';
import { AnswerBlock, UserBlock } from '../../../src/agent/messages/blocks.ts';
import { blockTokens } from '../../../src/agent/prompt/block-tokens.ts';
import { cutToFit } from '../../../src/agent/prompt/fit.ts';
import type { PartsToSend } from '../../../src/agent/prompt/parts-to-send.ts';
import { toPrompt } from '../../../src/agent/prompt/projection.ts';
import { pruneBlock } from '../../../src/agent/prompt/pruning.ts';
import type { StoredPart } from '../../../src/protocol/content.ts';
import { imagePart } from '../../support/pictures.ts';

const stored = (artifact: string): StoredPart => ({
  type: 'image',
  mimeType: 'image/png',
  name: `${artifact}.png`,
  artifact,
  bytes: 70,
});
const user = new UserBlock({ run: 1, seq: 1, end: 1 }, { text: 'Look.', parts: [stored('mine')] });
const answer = new AnswerBlock(
  { run: 1, seq: 2, end: 3 },
  {
    effectId: 1,
    upTo: 1,
    provider: 'p/m',
    model: 'm',
    text: '',
    reasoning: '',
    refusal: '',
    finishReason: null,
    finish: 'toolCalls',
    usage: null,
    costUsd: null,
    toolCalls: [{ callId: 2, id: 'c', name: 'shot', arguments: '{}' }],
    error: null,
  },
  [{ callId: 2, text: '', isError: false, code: null, status: 'done', parts: [stored('shot')] }],
);
const frame = { system: '', summary: null, provider: 'p/m' };
const sent: PartsToSend = new Map([
  ['mine', imagePart('mine.png')],
  ['shot', imagePart('shot.png')],
]);

describe('images in the projection', () => {
  it('are shown where their bytes are, and else mentioned', () => {
    const [question, , result] = toPrompt([user, answer], { ...frame, sent });
    expect(question).toEqual({ role: 'user', text: 'Look.', parts: [imagePart('mine.png')] });
    expect(result).toMatchObject({ text: '', parts: [imagePart('shot.png')] });
    const [plain, , bare] = toPrompt([user, answer], frame);
    expect(plain).toEqual({ role: 'user', text: 'Look.\n[image mine.png, 70 B]' });
    expect(bare).toMatchObject({ text: '[image shot.png, 70 B]' });
  });

  it('are not remembered from another prompt', () => {
    toPrompt([user], { ...frame, sent });
    const leftOut: PartsToSend = new Map([['mine', { leftOut: 'm takes no images' }]]);
    expect(toPrompt([user], { ...frame, sent: leftOut })).toEqual([
      { role: 'user', text: 'Look.\n[image mine.png, 70 B, left out: m takes no images]' },
    ]);
    expect(toPrompt([user], { ...frame, sent })[0]).toHaveProperty('parts');
  });

  it('weigh what they cost, until they are old', () => {
    expect(blockTokens(user)).toBeGreaterThan(1_600);
    expect(blockTokens(answer)).toBeGreaterThan(1_600);
    const pruned = pruneBlock(answer);
    expect(blockTokens(pruned)).toBeLessThan(100);
    expect(toPrompt([pruned], { ...frame, sent }).at(-1)).toMatchObject({
      text: '[image shot.png, 70 B, shown before; call the tool again to see it again]',
    });
    expect(pruneBlock(user)).toBe(user);
  });

  it('of tools give way before the words when a prompt is cut', () => {
    const cut = cutToFit([user, answer], { ...frame, sent }, [], 1_800);
    expect(cut?.map((message) => ('parts' in message ? message.parts?.length : 0))).toEqual([1, 0, 0]);
    expect(cutToFit([user, answer], { ...frame, sent }, [], 5_000)?.at(-1)).toHaveProperty('parts');
  });

  it('are named where a conversation is summarised', () => {
    expect(blockText(user)).toBe('User: Look.\n[image mine.png, 70 B]');
    expect(blockText(answer)).toBe('Assistant called shot({}), result: \n[image shot.png, 70 B]');
  });
});
