import type { Writable } from 'node:stream';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import * as ws from 'ws';
import { textFrame } from '../../src/gateway/feeds/outgoing.ts';

/** What clients of `ws` read frames with; its types leave it out. */
const { Receiver } = ws as unknown as { Receiver: new (options: { isServer: boolean }) => Writable };

/** What a WebSocket client reads out of bytes. */
function read(bytes: Buffer): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const texts: string[] = [];
    const receiver = new Receiver({ isServer: false });
    receiver.on(
      'message',
      (data: Buffer, isBinary: boolean) => void texts.push(isBinary ? '' : String(data)),
    );
    receiver.on('error', reject);
    receiver.on('finish', () => resolve(texts));
    receiver.end(bytes);
  });
}

it.each([0, 1, 125, 126, 127, 0xffff - 1, 0xffff, 0x10000, 200_000])(
  'a text of %i bytes is read again',
  async (length) => {
    const text = 'x'.repeat(length);
    expect(await read(textFrame(text))).toEqual([text]);
  },
);

it('texts of any characters are read again, one behind the other', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: 'grapheme', maxLength: 200 }), { maxLength: 5 }),
      async (texts) => {
        expect(await read(Buffer.concat(texts.map(textFrame)))).toEqual(texts);
      },
    ),
    { numRuns: 100 },
  );
});
