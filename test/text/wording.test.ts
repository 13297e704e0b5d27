import { describe, expect, it } from 'vitest';
import { printable, printableJson, TextPieces, unhidden } from '../../src/text/wording.ts';

const esc = '\u001b';
/** Everything that could end, begin or reorder something on a terminal. */
const acting = [
  ...range(0x00, 0x08),
  ...range(0x0b, 0x1f),
  ...range(0x7f, 0x9f),
  0x061c,
  0x200e,
  0x200f,
  ...range(0x2028, 0x202e),
  ...range(0x2066, 0x206f),
  ...range(0xe0000, 0xe007f),
].map((code) => String.fromCodePoint(code));
const unseen = [
  '\u200b',
  '\u200c',
  '\u200d',
  '\u2060',
  '\ufeff',
  '\u00ad',
  '\u115f',
  '\ufe0f',
  '\u{e0101}',
  '\ud800',
];

const sequences = {
  'OSC 52, which sets the clipboard': [`${esc}]52;c;cm0gLXJmIH4=\u0007`, '\\u001b]52;c;cm0gLXJmIH4=\\u0007'],
  'OSC 0, which sets the title': [`${esc}]0;title${esc}\\`, '\\u001b]0;title\\u001b\\'],
  'OSC 8, which makes a link': [`${esc}]8;;http://evil\u0007here`, '\\u001b]8;;http://evil\\u0007here'],
  'CSI of 7 bits': [`${esc}[2J${esc}[31m`, '\\u001b[2J\\u001b[31m'],
  'CSI of 8 bits': ['\u009b2J', '\\u009b2J'],
  'DCS, APC and PM': [`${esc}Pq${esc}_x${esc}^y\u0090`, '\\u001bPq\\u001b_x\\u001b^y\\u0090'],
  'a line that overwrites itself': ['rm -rf /\rls', 'rm -rf /\\u000dls'],
  'a letter that is erased': ['no\b\byes', 'no\\u0008\\u0008yes'],
  'text from right to left': ['user\u202efdp.exe\u202c', 'user\\u202efdp.exe\\u202c'],
  'hidden text of tags': ['hi\u{e0072}\u{e006d}', 'hi\\u{e0072}\\u{e006d}'],
} as const;

const harmless = {
  'line ends and tabs': 'a\n\tb',
  Chinese: '你好，世界',
  'Persian with a non-joiner': 'می\u200cخواهم',
  'a family': '👨‍👩‍👧',
  'a red heart': '❤️',
  'the flag of Scotland': '🏴󠁧󠁢󠁳󠁣󠁴󠁿',
};

describe('printable', () => {
  for (const [name, [text, shown]] of Object.entries(sequences))
    it(`shows ${name}`, () => expect(printable(text)).toBe(shown));

  for (const [name, text] of Object.entries(harmless))
    it(`leaves ${name} alone`, () => expect(printable(text)).toBe(text));

  it('leaves no character to which a terminal reacts', () => {
    for (const character of acting) expect(printable(`a${character}b`)).toMatch(/^a\\u[0-9a-f{}]+b$/);
  });

  it('makes a line end of two characters one', () => expect(printable('a\r\nb')).toBe('a\nb'));

  it('changes nothing of what it has made', () => {
    for (const [text] of Object.values(sequences)) expect(printable(printable(text))).toBe(printable(text));
  });

  it('hides no text behind a black flag', () => {
    const long = `\u{1f3f4}${'\u{e0061}'.repeat(7)}\u{e007f}`;
    expect(printable(long)).toBe(`\u{1f3f4}${'\\u{e0061}'.repeat(7)}\\u{e007f}`);
  });
});

describe('unhidden', () => {
  it('shows every character that takes no room', () => {
    for (const character of [...acting, ...unseen])
      expect(unhidden(`a${character}b`)).toMatch(/^a\\u[0-9a-f{}]+b$/);
  });

  it('leaves emoji whole, and no selector without one', () => {
    expect(unhidden('❤️ 👨‍👩‍👧 🏴󠁧󠁢󠁳󠁣󠁴󠁿')).toBe('❤️ 👨‍👩‍👧 🏴󠁧󠁢󠁳󠁣󠁴󠁿');
    expect(unhidden('rm\ufe0f -rf')).toBe('rm\\ufe0f -rf');
    expect(unhidden('❤️\ufe0f')).toBe('❤️\\ufe0f');
  });
});

describe('printable JSON', () => {
  it('means the same, without any character to which a terminal reacts', () => {
    const value = { [`k${acting.join('')}`]: [acting.join('-'), '你好 ❤️'] };
    const json = printableJson(JSON.stringify(value));
    expect(JSON.parse(json)).toEqual(value);
    expect(acting.filter((character) => json.includes(character))).toEqual([]);
    expect(json).toContain('你好 ❤️');
  });

  it('keeps the layout of indented JSON', () => {
    const json = JSON.stringify({ a: [1] }, null, '\t');
    expect(printableJson(json)).toBe(json);
  });
});

describe('pieces of streamed text', () => {
  it('are judged as their whole is, wherever they are cut', () => {
    const whole = `${Object.values(sequences)
      .map(([text]) => text)
      .join('')}\r\n${Object.values(harmless).join('')}`;
    for (let size = 1; size < 40; size++) {
      const pieces = new TextPieces();
      let shown = '';
      for (let at = 0; at < whole.length; at += size)
        shown += printable(pieces.push(whole.slice(at, at + size)));
      expect(shown + printable(pieces.end())).toBe(printable(whole));
    }
  });
});

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}
