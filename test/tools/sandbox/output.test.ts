import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CommandOutput } from '../../../src/tools/sandbox/output.ts';
import type { OutputStream } from '../../../src/tools/sandbox/sandbox.ts';

const bytes = (text: string) => Buffer.from(text);

function outputOf(...writes: [OutputStream, string][]): string {
  const output = new CommandOutput();
  for (const [stream, text] of writes) output.write(stream, bytes(text));
  output.end();
  return output.take();
}

describe('the output of a command', () => {
  it.each<[string, [OutputStream, string][]]>([
    ['a\nb\n', [['stdout', 'a\nb\n']]],
    ['[stderr] a\n[stderr] b\n', [['stderr', 'a\nb\n']]],
    [
      '[stderr] ab\n',
      [
        ['stderr', 'a'],
        ['stderr', 'b\n'],
      ],
    ],
    [
      'a\n[stderr] b',
      [
        ['stdout', 'a'],
        ['stderr', 'b'],
      ],
    ],
    [
      '[stderr] a\nb\n',
      [
        ['stderr', 'a'],
        ['stdout', 'b\n'],
      ],
    ],
    ['[stderr] \n[stderr] \n', [['stderr', '\n\n']]],
  ])('is %j', (text, writes) => {
    expect(outputOf(...writes)).toBe(text);
  });

  it('is the same however its bytes come in pieces', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '\n', 'é', '漢', '😀') });
    fc.assert(
      fc.property(
        text,
        fc.constantFrom<OutputStream>('stdout', 'stderr'),
        fc.array(fc.nat(8)),
        (text, stream, sizes) => {
          const output = new CommandOutput();
          let rest = bytes(text);
          for (const size of sizes) {
            output.write(stream, rest.subarray(0, size));
            rest = rest.subarray(size);
          }
          output.write(stream, rest);
          output.end();
          expect(output.take()).toBe(outputOf([stream, text]));
        },
      ),
    );
  });

  it('keeps beginning and end, and says how much is missing between', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme-ascii', maxLength: 40 })),
        fc.nat(30),
        fc.nat(30),
        (pieces, head, tail) => {
          const output = new CommandOutput({ head, tail });
          for (const piece of pieces) output.write('stdout', bytes(piece));
          const whole = pieces.join('');
          const left = whole.length - head - tail;
          const ends = [whole.slice(0, head), whole.slice(whole.length - tail)];
          if (left <= 0) expect(output.take()).toBe(whole);
          else expect(output.take()).toBe(ends.join(`\n[… ${left} characters are left out here …]\n`));
          expect(output.take()).toBe('');
        },
      ),
    );
  });

  it('is what has come since the last look', () => {
    const output = new CommandOutput({ head: 4, tail: 4 });
    output.write('stdout', bytes('0123456789'));
    expect(output.take()).toBe('0123\n[… 2 characters are left out here …]\n6789');
    output.write('stdout', bytes('abcd'));
    expect(output.take()).toBe('abcd');
  });

  it('has a sign in the place of bytes that are no text', () => {
    const output = new CommandOutput();
    output.write('stdout', Buffer.from([0x61, 0xff, 0x00, 0x62, 0xe6, 0xbc]));
    output.end();
    expect(output.take()).toBe('a\uFFFD\uFFFDb\uFFFD');
  });

  it('is never cut through a character', () => {
    const output = new CommandOutput({ head: 3, tail: 3 });
    output.write('stdout', bytes('😀'.repeat(10)));
    expect(output.take().isWellFormed()).toBe(true);
  });
});
