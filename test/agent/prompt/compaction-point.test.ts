import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Block, toBlocks } from '../../../src/agent/messages/blocks.ts';
import { boundary } from '../../../src/agent/prompt/compaction-point.ts';
import { inSizes } from '../../support/size.ts';
import { answer, calls, history, result, user } from './blocks.ts';

const rowsOf = (block: Block) => [
  { run: block.run, seq: block.seq },
  { run: block.run, seq: block.end },
];

function isBefore(a: { run: number; seq: number }, b: { run: number; seq: number }): boolean {
  return a.run < b.run || (a.run === b.run && a.seq < b.seq);
}

describe('where a conversation is cut', () => {
  it('lies between blocks, all rows of the kept behind all rows of the dropped', () => {
    fc.assert(
      fc.property(history, fc.integer({ min: 0, max: 3_000 }), (messages, maxTokens) => {
        const blocks = toBlocks(messages);
        if (blocks.length === 0) return;
        const cut = boundary(blocks, maxTokens);
        expect(cut).toBeGreaterThanOrEqual(0);
        expect(cut).toBeLessThan(blocks.length);
        const dropped = blocks.slice(0, cut).flatMap(rowsOf);
        const kept = blocks.slice(cut).flatMap(rowsOf);
        expect(dropped.filter((old) => !kept.every((row) => isBefore(old, row)))).toEqual([]);
      }),
      { numRuns: inSizes({ usual: 200, deep: 1_000, full: 10_000 }) },
    );
  });

  it('leaves rows behind the pointer that are a valid history of their own', () => {
    fc.assert(
      fc.property(history, fc.integer({ min: 0, max: 3_000 }), (messages, maxTokens) => {
        const blocks = toBlocks(messages);
        const first = blocks[boundary(blocks, maxTokens)];
        if (!first) return;
        const behind = messages.filter((message) => !isBefore(message, first));
        expect(toBlocks(behind)).toEqual(blocks.slice(blocks.indexOf(first)));
      }),
      { numRuns: inSizes({ usual: 200, deep: 1_000, full: 10_000 }) },
    );
  });

  it('keeps at least the newest block, however big', () => {
    const blocks = toBlocks([user(1, 0, 'x'.repeat(1_000)), user(2, 0, 'y'.repeat(1_000))]);
    expect(boundary(blocks, 0)).toBe(1);
  });

  it('begins with words of the user, when enough is left, and does not tear a last exchange that fits', () => {
    const rounds = [
      ...[1, 2].flatMap((run) => [
        user(run, 0, 'word '.repeat(100)),
        answer(run, 1, { text: 'word '.repeat(100) }),
      ]),
    ];
    const blocks = toBlocks(rounds);
    expect(boundary(blocks, 350)).toBe(2);
    expect(boundary(blocks, 110)).toBe(3);
    expect(boundary(blocks, 110, 300)).toBe(2);
  });

  it('keeps all that fits', () => {
    const blocks = toBlocks([user(1, 0), user(2, 0), user(3, 0)]);
    expect(boundary(blocks, 1_000_000)).toBe(0);
  });

  it('does not part a message from the results that were written after it', () => {
    const blocks = toBlocks([
      user(1, 0),
      answer(1, 1, { toolCalls: calls(2) }),
      user(1, 2, 'said while the call ran'),
      result(1, 3, 2),
    ]);
    expect(boundary(blocks, 0)).toBe(1);
  });

  it('does not part a message from results that were written with it', () => {
    const steered = [user(1, 0), answer(1, 1, { toolCalls: calls(2) }), user(1, 2), result(1, 2, 2)];
    expect(boundary(toBlocks(steered), 0)).toBe(1);
  });
});
