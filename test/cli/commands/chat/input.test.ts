import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Composer } from '../../../../src/cli/commands/chat/composer.ts';
import { LineEditor } from '../../../../src/cli/commands/chat/line-editor.ts';
import { PasteFilter, type Typed } from '../../../../src/cli/commands/chat/paste-filter.ts';
import {
  commandNames,
  completions,
  help,
  readInput,
} from '../../../../src/cli/commands/chat/slash-command.ts';

const [enter, up, left, ctrlC, ctrlD] = ['\r', '\u001b[A', '\u001b[D', '\u0003', '\u0004'];
const pasted = (text: string) => `\u001b[200~${text}\u001b[201~`;

describe('what a terminal sends', () => {
  const keys = fc.stringMatching(/^[a-z\r]{1,5}$/).map((text): Typed => ({ keys: text }));
  const paste = fc
    .string()
    .map((text): Typed => ({ paste: text.replaceAll('\u001b', '').replaceAll('\r', '') }));

  it('is separated into keys and pasted texts, wherever it is cut', () => {
    const cuts = fc.array(fc.integer({ min: 1, max: 6 }));
    fc.assert(
      fc.property(fc.array(fc.oneof(keys, paste)), cuts, (typed, lengths) => {
        const sent = typed.map((part) => ('keys' in part ? part.keys : pasted(part.paste))).join('');
        const filter = new PasteFilter();
        const told: Typed[] = [];
        let at = 0;
        for (const length of lengths) {
          told.push(...filter.push(sent.slice(at, at + length)));
          at += length;
        }
        told.push(...filter.push(sent.slice(at)));
        expect(joined(told)).toEqual(joined(typed));
      }),
    );
  });

  it('has line ends as they are elsewhere', () => {
    expect(new PasteFilter().push(pasted('a\r\nb\rc\n'))).toEqual([{ paste: 'a\nb\nc\n' }]);
  });
});

/** Keys in one piece, however they came. */
function joined(typed: readonly Typed[]): Typed[] {
  const parts: Typed[] = [];
  for (const part of typed) {
    const last = parts.at(-1);
    if ('keys' in part && last && 'keys' in last) parts[parts.length - 1] = { keys: last.keys + part.keys };
    else parts.push(part);
  }
  return parts;
}

function newEditor(history: readonly string[] = []) {
  const heard: string[] = [];
  const editor = new LineEditor(
    {
      line: (text) => void heard.push(text),
      interrupt: () => void heard.push('(interrupt)'),
      left: () => void heard.push('(left)'),
      suspend: () => {},
      clear: () => {},
      changed: () => {},
      completions,
    },
    history,
  );
  const push = async (...pieces: string[]) => {
    for (const piece of pieces) editor.push(piece);
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
  };
  return { editor, heard, push };
}

describe('the line that is typed', () => {
  it('is edited in place', async () => {
    const { editor, heard, push } = newEditor();
    await push(`helo${left}l`);
    expect([editor.text, editor.cursor]).toEqual(['hello', 4]);
    await push(enter);
    expect([heard, editor.text]).toEqual([['hello'], '']);
  });

  it('keeps a pasted text together, tabs and line ends included', async () => {
    const { editor, heard, push } = newEditor();
    await push('see ', pasted('def f():\n\treturn 1\n'), 'ok?');
    expect(editor.text).toBe('see def f():\n\treturn 1\nok?');
    await push(enter);
    expect(heard).toEqual(['see def f():\n\treturn 1\nok?']);
  });

  it('takes lines without marks one by one', async () => {
    const { heard, push } = newEditor();
    await push('one\rtwo\r\nthree\nfour');
    expect(heard).toEqual(['one', 'two', 'three']);
  });

  it('brings back what was entered before, whole', async () => {
    const { editor, push } = newEditor(['two\nlines', 'older']);
    await push(up);
    expect(editor.text).toBe('two\nlines');
    await push(up);
    expect(editor.text).toBe('older');
  });

  it('remembers what its owner sets, not what was entered', async () => {
    const { editor, push } = newEditor(['older']);
    await push(`secret${enter}`, up);
    expect(editor.text).toBe('older');
    editor.replace('');
    await push(enter);
    editor.history = ['newest', 'older'];
    await push(`x${enter}`, up);
    expect(editor.text).toBe('newest');
  });

  it('leaves for Ctrl-D when it is empty, and else deletes', async () => {
    const { editor, heard, push } = newEditor();
    await push(`ab${left}${left}${ctrlD}`);
    expect([editor.text, heard]).toEqual(['b', []]);
    await push(ctrlD, ctrlD);
    expect(heard).toEqual(['(left)']);
  });

  it('tells of Ctrl-C, and keeps its words', async () => {
    const { editor, heard, push } = newEditor();
    await push(`ab${ctrlC}`);
    expect([editor.text, heard]).toEqual(['ab', ['(interrupt)']]);
  });

  it('completes commands', async () => {
    const { editor, push } = newEditor();
    await push('/mo\t');
    expect(editor.text).toBe('/model ');
  });
});

describe('an input', () => {
  it.each(commandNames)('/%s is a command', (name) => {
    expect(readInput(`/${name}`)).toEqual({ kind: 'command', name, argument: '' });
    expect(readInput(`/${name}  a b `)).toEqual({ kind: 'command', name, argument: 'a b' });
    expect(help()).toContain(`/${name}`);
  });

  it.each([
    ['hello', 'hello'],
    ['what is 1/2?', 'what is 1/2?'],
    ['/etc/hosts is what?', '/etc/hosts is what?'],
    ['//help me', '/help me'],
    ['///', '//'],
    ['/help\nme', '/help\nme'],
    [' /help', ' /help'],
  ])('%j is the message %j', (typed, text) => {
    expect(readInput(typed)).toEqual({ kind: 'message', text });
  });

  it.each([
    ['/modle', 'model'],
    ['/hepl', 'help'],
    ['/quti', 'quit'],
    ['/exi', 'exit'],
    ['/banana', null],
    ['/', null],
  ])('%j is unknown, and may mean %j', (typed, nearest) => {
    expect(readInput(typed)).toMatchObject({ kind: 'unknown', nearest });
  });

  it.each([
    ['/he', ['/help']],
    ['/', ['/help', '/tea ', '/技能 ']],
    ['/te', ['/tea ']],
    ['/技', ['/技能 ']],
    ['/tea ', []],
    ['/etc/t', []],
    ['tea', []],
  ])('%j may become %j, skills among them', (line, expected) => {
    const found = completions(line, ['help', 'tea', '技能']);
    expect(found).toEqual(line === '/' ? expect.arrayContaining(expected) : expected);
    expect(new Set(found).size).toBe(found.length);
  });

  it('has other words for leaving', () => {
    expect(readInput('/exit')).toMatchObject({ kind: 'command', name: 'quit' });
  });
});

describe('a message of several lines', () => {
  it('continues after a backslash', () => {
    const composer = new Composer();
    expect(composer.push('one\\')).toBeNull();
    expect(composer.isOpen).toBe(true);
    expect(composer.push('two\\')).toBeNull();
    expect(composer.push('three')).toBe('one\ntwo\nthree');
    expect(composer.isOpen).toBe(false);
  });

  it('can be given up', () => {
    const composer = new Composer();
    composer.push('one\\');
    expect(composer.drop()).toBe('one');
    expect(composer.drop()).toBeNull();
    expect(composer.push('two')).toBe('two');
  });
});
