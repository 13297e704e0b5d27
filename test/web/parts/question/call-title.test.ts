import { describe, expect, it } from 'vitest';
import {
  askedInWords,
  repeatInWords,
  shortHash,
  titleOf,
} from '../../../../web/src/parts/question/call-title.ts';

describe('titleOf', () => {
  it('says what a known tool would do to what', () => {
    expect(titleOf('write_file', { path: 'a.md', content: 'x' })).toBe('Write a.md?');
    expect(titleOf('shell', { command: 'ls\nrm -rf /' })).toBe('Run ls…?');
  });

  it('names any other tool with the argument that says most', () => {
    expect(titleOf('mail', { body: 'long\ntext', to: 'lin@example.com', n: 1 })).toBe(
      'mail: lin@example.com?',
    );
    expect(titleOf('refund', { cents: 1200, note: '' })).toBe('refund: 1200?');
    expect(titleOf('reset', {})).toBe('reset?');
    expect(titleOf('odd', 'not an object')).toBe('odd?');
  });

  it('shows characters that hide, and cuts what is long', () => {
    expect(titleOf('write_file', { path: 'a\u202edm.exe' })).toBe('Write a\\u{202e}dm.exe?');
    expect(titleOf('write_file', { path: 'x'.repeat(500) })).toHaveLength('Write …?'.length + 80);
  });
});

describe('the facts of a call', () => {
  it('say what a second try would do', () => {
    expect(repeatInWords('probe')).toContain('safe: Detent can check');
    expect([repeatInWords('unsafe'), repeatInWords('a class of the future')]).toEqual([
      'not safe: it may happen twice',
      'not safe: it may happen twice',
    ]);
    expect([repeatInWords(null), repeatInWords(undefined)]).toEqual([
      'depends on the arguments',
      'not known',
    ]);
    expect(shortHash('f858a813aaaaaaaa1f03ca')).toBe('f858a813…1f03ca');
  });
});

it('cuts a long question for its heading, and has the rest of it besides', () => {
  expect(askedInWords('Send o1?')).toEqual({ title: 'Send o1?', more: null });
  expect(askedInWords('Send o1?\nIt is\nlarge.')).toEqual({ title: 'Send o1?', more: 'It is\nlarge.' });
  const long = askedInWords('a'.repeat(1_000));
  expect([long.title.length, long.more?.length]).toEqual([241, 1_000]);
});
