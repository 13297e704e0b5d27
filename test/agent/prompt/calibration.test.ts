import { describe, expect, it } from 'vitest';
import {
  calibrationOf,
  countedRatio,
  learnedFromRefusal,
  recordCalibration,
  windowNamedIn,
} from '../../../src/agent/prompt/calibration.ts';
import { contextBudget } from '../../../src/agent/prompt/context-budget.ts';
import { noTokens } from '../../../src/protocol/content.ts';
import type { ResolvedModel } from '../../../src/protocol/ports/chat-model.ts';

const call = (estimated: number, inputTokens: number) => ({ estimated, usage: { ...noTokens, inputTokens } });
const nothing = { callsOf: () => [], refusedBy: () => ({}) };

describe('what a provider’s counts teach', () => {
  it('is their ratio to the estimates', () => {
    expect(countedRatio([call(1_000, 1_500)])).toBe(1.5);
  });

  it('follows the latest calls, and is not thrown by one', () => {
    const steady = Array.from({ length: 8 }, () => call(1_000, 1_000));
    expect(countedRatio([call(1_000, 2_000), ...steady])).toBeCloseTo(1.5, 1);
    expect(countedRatio([...steady, call(1_000, 3_000)])).toBeCloseTo(1, 1);
  });

  it.each([
    ['no call', []],
    ['a count of nothing', [call(1_000, 0)]],
    ['a count of what was not cached', [call(1_000, 10)]],
    ['a count beyond reason', [call(1_000, 50_000)]],
    ['a prompt of a few words', [call(20, 60)]],
    ['an answer of an older version', [{ usage: { ...noTokens, inputTokens: 500 } }]],
  ])('is nothing from %s', (_, calls) => {
    expect(countedRatio(calls)).toBeNull();
  });

  it('stays within bounds', () => {
    expect(countedRatio([call(1_000, 3_900)])).toBe(3);
    expect(countedRatio([call(1_000, 260)])).toBe(0.5);
  });

  it('is remembered for conversations that have no counts of their own, by model', () => {
    const models = new Map();
    expect(calibrationOf(models, 'a/m', nothing).ratio).toBe(1);
    calibrationOf(models, 'a/m', { ...nothing, callsOf: () => [call(1_000, 2_000)] });
    expect(calibrationOf(models, 'a/m', nothing).ratio).toBe(2);
    expect(calibrationOf(models, 'a/other', nothing).ratio).toBe(1);
    expect(calibrationOf(new Map(), 'a/m', nothing).ratio).toBe(1);
  });

  it('is taken from the rows of a summary, too, by whatever process', () => {
    const written = { ...nothing, refusedBy: () => ({ window: 4_000, room: 3_000 }) };
    expect(calibrationOf(new Map(), 'a/m', written)).toEqual({ ratio: 1, window: 4_000, room: 3_000 });
  });
});

describe('what a refused prompt teaches', () => {
  it.each([
    ["This model's maximum context length is 8192 tokens. However, you requested 9000 tokens", 8_192],
    ['prompt is too long: 212,345 tokens > 200,000 maximum', 200_000],
    ['Input exceeds the context window of 32768 tokens', 32_768],
    ['the request exceeds the available context size (4096 tokens)', 4_096],
    ['too long', null],
  ])('reads the window out of "%s"', (message, window) => {
    expect(windowNamedIn(message)).toBe(window);
  });

  it('is less room for the conversation than it was refused with', () => {
    expect(learnedFromRefusal({ estimated: 9_000, fixed: 1_000 }, 128_000, 'too long')).toEqual({
      room: 7_000,
    });
  });

  it('is the window that it names, when that is smaller than the one we know', () => {
    const prompt = { estimated: 9_000, fixed: 1_000 };
    const message = 'maximum context length is 8000';
    expect(learnedFromRefusal(prompt, 128_000, message)).toEqual({ window: 8_000, room: 7_000 });
    expect(learnedFromRefusal(prompt, 8_000, message)).toEqual({ room: 7_000 });
  });

  it('is nothing when there was next to nothing in it', () => {
    expect(learnedFromRefusal({ estimated: 3_000, fixed: 2_900 }, 128_000, 'too long')).toEqual({});
  });

  it('shrinks to any real window in a few steps', () => {
    const models = new Map();
    let steps = 0;
    for (let room = 120_000; room > 5_000; steps++) {
      recordCalibration(
        models,
        'a/m',
        learnedFromRefusal({ estimated: room, fixed: 1_000 }, 128_000, 'too long'),
      );
      room = calibrationOf(models, 'a/m', nothing).room ?? room;
    }
    expect(steps).toBeLessThan(14);
  });
});

describe('the budget of a prompt', () => {
  const model = { contextWindow: 10_000, maxOutputTokens: 2_000 } as ResolvedModel;
  const learned = { ratio: 1, window: null, room: null };

  it('is in shares of the window without the answer’s part', () => {
    expect(contextBudget(model, undefined, learned)).toEqual({
      ratio: 1,
      room: 8_000,
      pruneAt: 4_800,
      compactAt: 6_400,
      protect: 2_000,
      keep: 2_000,
    });
  });

  it('is in our own tokens: of a provider that counts twice as many there are half as many', () => {
    const budget = contextBudget(model, { protectTokens: 1_000 }, { ...learned, ratio: 2 });
    expect(budget).toMatchObject({ room: 4_000, compactAt: 3_200, protect: 500 });
  });

  it('never prunes later than it compacts', () => {
    expect(contextBudget(model, { compactAt: 0.5 }, learned)).toMatchObject({
      pruneAt: 4_000,
      compactAt: 4_000,
    });
  });

  it('keeps room for a prompt when the real window is smaller than the answer’s part', () => {
    const huge = { contextWindow: 128_000, maxOutputTokens: 32_000 } as ResolvedModel;
    expect(contextBudget(huge, undefined, { ...learned, window: 8_000 }).room).toBe(4_000);
    expect(contextBudget(huge, undefined, { ...learned, room: 3_000 }).room).toBe(3_000);
  });
});
