import { describe, expect, it } from 'vitest';
import { readEvents, sseVectors } from '../support/conformance/sse-vectors.ts';
import { byteByByte, cutAt } from '../support/cuts.ts';

describe('SSE reader', () => {
  describe.each(sseVectors())('$name', ({ base64, cuts, expect: expected }) => {
    const bytes = Buffer.from(base64, 'base64');

    it('reads it whole', () => expect(readEvents([bytes])).toEqual(expected));
    it('reads it byte by byte', () => expect(readEvents(byteByByte(bytes))).toEqual(expected));
    it('reads it cut', () => expect(readEvents(cutAt(bytes, cuts))).toEqual(expected));
  });

  it('gives up on a line that outgrows the limit, in one piece or in many', () => {
    const line = Buffer.from(`data: ${'x'.repeat(2_000)}`);
    expect(() => readEvents([line])).toThrow('too long');
    expect(() => readEvents(byteByByte(line))).toThrow('too long');
  });

  it('gives up on an event of many lines that outgrows the limit', () => {
    expect(() => readEvents([Buffer.from('data: 0123456789\n'.repeat(200))])).toThrow('too long');
  });

  it('does not count comments, however long', () => {
    const bytes = Buffer.from(`: ${'x'.repeat(5_000)}\n\ndata: 1\n\n`);
    expect(readEvents([bytes]).events).toHaveLength(1);
    expect(readEvents(byteByByte(bytes)).events).toHaveLength(1);
  });
});
