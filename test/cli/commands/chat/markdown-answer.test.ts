import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { layOut } from '../../../../src/cli/commands/chat/input-rows.ts';
import { LiveScreen } from '../../../../src/cli/commands/chat/live-screen.ts';
import { MarkdownAnswer } from '../../../../src/cli/commands/chat/markdown-answer.ts';
import { plainText, rendered, type Text } from '../../../../src/cli/terminal/styled.ts';
import { VirtualTerminal } from '../../../support/vt.ts';

/** Shows each block in angle brackets. */
const newAnswer = () => new MarkdownAnswer((source) => `<${source.trimEnd()}>`);

function pushed(answer: MarkdownAnswer, ...pieces: string[]): string {
  return pieces.map((piece) => plainText(answer.push(piece, 80))).join('');
}

describe('a streamed answer in Markdown', () => {
  it('renders a block when the next one begins, and the last one at its end', () => {
    const answer = newAnswer();
    expect(pushed(answer, 'one', ' line\n', '\n')).toBe('');
    expect(answer.tail(10)).toBe('one line');
    expect(pushed(answer, 'two')).toBe('<one line>\n');
    expect(answer.tail(10)).toBe('two');
    expect(plainText(answer.end(80))).toBe('\n<two>\n');
    expect([answer.tail(10), plainText(answer.end(80))]).toEqual(['', '']);
  });

  it('keeps a list with its indented lines, and code with its empty lines, in one block', () => {
    const answer = newAnswer();
    expect(pushed(answer, '- a\n\n  b\n\n', '```js\n\nx\n')).toBe('<- a\n\n  b>\n');
    expect(pushed(answer, '```js\n\n', '~~~\n\n', '````\n\n')).toBe('');
    expect(pushed(answer, 'end')).toBe('\n<```js\n\nx\n```js\n\n~~~\n\n````>\n');
  });

  it('begins each answer anew, whatever the one before left open', () => {
    const answer = newAnswer();
    pushed(answer, '```\nopen\n\n');
    expect(plainText(answer.end(80))).toBe('<```\nopen>\n');
    expect(pushed(answer, 'one\n\ntwo')).toBe('<one>\n');
  });

  it('is the same in pieces of any size', () => {
    const piece = fc.constantFrom('a', 'b c', '\n', '\n\n', '```', '- x', '  ', '> ', '漢');
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const [whole, inPieces] = [newAnswer(), newAnswer()];
        const all = pushed(whole, pieces.join('')) + plainText(whole.end(80));
        const parts = pushed(inPieces, ...pieces.join('')) + plainText(inPieces.end(80));
        expect(parts).toBe(all);
        expect(all.replaceAll(/[<>\s]/g, '')).toBe(pieces.join('').replaceAll(/[<>\s]/g, ''));
      }),
    );
  });
});

describe('the tail of an answer above the input line', () => {
  const size = { columns: 20, rows: 12 };
  const footer = (tail: string) =>
    layOut({ tail, status: 'answering', prompt: '» ', line: 'typed', cursor: 5 }, size);

  it('shows its last rows, as many as there is room for', () => {
    const tail = Array.from({ length: 30 }, (_, i) => `line ${i}`).join('\n');
    const { rows, cursor } = footer(tail);
    expect(rows.map(plainText)).toEqual([
      ...Array.from({ length: 9 }, (_, i) => `line ${i + 21}`),
      'answering',
      '» typed',
    ]);
    expect(cursor).toEqual({ row: 10, column: 7 });
  });

  it('is replaced by the block that it becomes, in one write', () => {
    const terminal = new VirtualTerminal(size.columns, size.rows);
    const writes: string[] = [];
    const write = (text: Text) => {
      writes.push(rendered(text, true));
      terminal.write(rendered(text, true));
    };
    const screen = new LiveScreen({ columns: size.columns, write });
    screen.show(footer('**one** of the words'));
    expect(terminal.rows).toEqual(['**one** of the word', 's', 'answering', '» typed']);
    screen.write('one of the words\n', footer('two'));
    expect(terminal.rows).toEqual(['one of the words', 'two', 'answering', '» typed']);
    expect(writes).toHaveLength(2);
    screen.show(null);
    screen.write('end\n', footer('none'));
    expect(terminal.rows).toEqual(['one of the words', 'end']);
  });
});
