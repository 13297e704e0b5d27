import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { layOut } from '../../../../src/cli/commands/chat/input-rows.ts';
import { LiveScreen } from '../../../../src/cli/commands/chat/live-screen.ts';
import { plainText, rendered, styled, type Text } from '../../../../src/cli/terminal/styled.ts';
import { textWidth } from '../../../../src/cli/terminal/text-width.ts';
import { VirtualTerminal } from '../../../support/vt.ts';

const character = fc.constantFrom('a', 'b', ' ', '漢', '字', '\n', '\n', 'é');
const piece = fc.array(character, { maxLength: 30 }).map((characters) => characters.join(''));
const columns = fc.integer({ min: 4, max: 24 });

function newScreen(size: { columns: number; rows?: number }) {
  const terminal = new VirtualTerminal(size.columns, size.rows ?? 200);
  const output = { columns: size.columns, write: (text: Text) => terminal.write(rendered(text, true)) };
  return { terminal, output, screen: new LiveScreen(output) };
}

function footer(line: string, size: { columns: number; rows?: number }, status: string | null = null) {
  const parts = { status, prompt: '> ', line, cursor: line.length };
  const { rows, cursor } = layOut(parts, { columns: size.columns, rows: size.rows ?? 200 });
  return { rows: rows.map(plainText), cursor };
}

describe('a screen with a footer', () => {
  it('shows the output as if the footer were not there, and the footer below it', () => {
    fc.assert(
      fc.property(columns, fc.array(fc.tuple(piece, piece)), (width, steps) => {
        const { terminal, screen } = newScreen({ columns: width });
        const alone = new VirtualTerminal(width, 200);
        for (const [words, line] of steps) {
          screen.show(footer(line, { columns: width }, 'thinking'));
          screen.write(words);
          alone.write(words.replaceAll('\n', '\r\n'));
        }
        const last = footer('the end', { columns: width });
        screen.show(last);
        const { row, column } = alone.cursor;
        const above = Array.from({ length: column > 0 ? row + 1 : row }, (_, i) => alone.rows[i] ?? '');
        expect(terminal.rows).toEqual([...above, ...last.rows]);
      }),
    );
  });

  it('continues in the middle of a line, on a screen that scrolls', () => {
    const size = { columns: 20, rows: 5 };
    const { terminal, screen } = newScreen(size);
    for (let i = 0; i < 10; i++) {
      screen.show(footer('typed', size));
      screen.write(`line ${i} `);
      screen.show(footer('typed on', size, 'thinking'));
      screen.write('goes on\n');
    }
    screen.show(footer('typed', size));
    const lines = Array.from({ length: 10 }, (_, i) => `line ${i} goes on`);
    expect(terminal.rows).toEqual([...lines, '> typed']);
  });

  it('leaves nothing when the footer is taken away', () => {
    const { terminal, screen } = newScreen({ columns: 20 });
    screen.show(footer('typed', { columns: 20 }, 'thinking'));
    screen.write('words');
    screen.show(null);
    expect(terminal.rows).toEqual(['words']);
    expect(terminal.cursor).toEqual({ row: 0, column: 5 });
  });

  it('puts the cursor where the person types', () => {
    const { terminal, screen } = newScreen({ columns: 20 });
    screen.write('words');
    screen.show(layOut({ status: null, prompt: '> ', line: '漢字', cursor: 1 }, { columns: 20, rows: 9 }));
    expect(terminal.cursor).toEqual({ row: 1, column: 4 });
  });

  it('passes over colours', () => {
    const { terminal, screen } = newScreen({ columns: 10 });
    screen.show(footer('', { columns: 10 }));
    screen.write(styled('red', 'red'));
    screen.write(' and more');
    expect(terminal.text).toBe('red and more\n> ');
  });

  it('keeps tabs, and ends one that leads over the edge there', () => {
    const { terminal, screen } = newScreen({ columns: 20 });
    for (const piece of ['a\tb\t', 'c', '\td\n', 'e']) {
      screen.show(footer('', { columns: 20 }));
      screen.write(piece);
    }
    expect(terminal.rows).toEqual(['a       b       c   ', 'd', 'e', '> ']);
  });

  it('continues a short line after the terminal has become narrower', () => {
    const { terminal, output, screen } = newScreen({ columns: 30 });
    screen.show(footer('', { columns: 30 }));
    screen.write('short');
    output.columns = 20;
    screen.resized();
    screen.show(footer('', { columns: 20 }));
    screen.write(' line');
    expect(terminal.rows).toEqual(['short line', '> ']);
  });

  it('after that begins a new row for a line that may have been broken', () => {
    const { terminal, output, screen } = newScreen({ columns: 30 });
    screen.show(footer('', { columns: 30 }));
    screen.write('a line of some words');
    output.columns = 10;
    screen.resized();
    screen.show(footer('', { columns: 10 }));
    screen.write('and more');
    expect(terminal.rows.at(0)).toBe('a line of some words');
    expect(terminal.rows.slice(-2)).toEqual(['and more', '> ']);
  });
});

describe('the rows of a footer', () => {
  it('fit the screen, with the cursor in them, whatever is typed', () => {
    const size = fc.record({
      columns: fc.integer({ min: 3, max: 40 }),
      rows: fc.integer({ min: 2, max: 12 }),
    });
    fc.assert(
      fc.property(
        size,
        fc.string({ unit: fc.oneof(character, fc.constant('\t')), maxLength: 200 }),
        fc.nat(),
        fc.boolean(),
        (at, line, n, busy) => {
          const cursor = line === '' ? 0 : n % (line.length + 1);
          const parts = { status: busy ? 'thinking 12 s' : null, prompt: '> ', line, cursor };
          const { rows, cursor: shown } = layOut(parts, at);
          expect(rows.length).toBeLessThan(at.rows + 1);
          for (const row of rows) expect(textWidth(plainText(row))).toBeLessThan(Math.max(at.columns, 3));
          expect(rows[shown.row]).toBeDefined();
          expect(shown.column).toBeLessThan(at.columns);
        },
      ),
    );
  });

  it('show the part of a long text that has the cursor', () => {
    const line = Array.from({ length: 30 }, (_, i) => `line ${i}`).join('\n');
    const at = { columns: 40, rows: 24 };
    const end = layOut({ status: null, prompt: '> ', line, cursor: line.length }, at);
    expect(end.rows).toHaveLength(10);
    expect(plainText(end.rows.at(-1) ?? '')).toBe('  line 29');
    const start = layOut({ status: null, prompt: '> ', line, cursor: 0 }, at);
    expect(plainText(start.rows.at(0) ?? '')).toBe('> line 0');
    expect(start.cursor).toEqual({ row: 0, column: 2 });
  });

  it('spell out what a terminal would obey', () => {
    expect(footer('a\u001b[2J\u202eb', { columns: 40 }).rows).toEqual(['> a\\u001b[2J\\u202eb']);
  });

  it('do without the prompt where there is no room for it', () => {
    expect(footer('hi', { columns: 4 }).rows).toEqual(['hi']);
  });
});
