import { expect, it } from 'vitest';
import { visible, visibleActor, visibleProse } from '../../../web/src/parts/visible.ts';

it('writes characters that a browser draws as nothing, or that turn the direction, so that they are seen', () => {
  expect(visible('pay \u202egnp.exe')).toBe('pay \\u{202e}gnp.exe');
  expect(visible('a\u200bb\u0007c\u00add')).toBe('a\\u{200b}b\\u{7}c\\u{ad}d');
  expect(visible('tag\u{e0041}')).toBe('tag\\u{e0041}');
});

it('leaves lines, tabs, Chinese and emoji as they are', () => {
  const text = '龙井，\t三包\n👩‍🍳 ❤️ naïve';
  expect(visible(text)).toBe(text);
});

it('leaves joiners within words of prose, and the ends of lines as Windows writes them', () => {
  const text = 'می\u200cخواهم क्\u200dष\r\n👩‍🍳\r';
  expect(visibleProse(text)).toBe(text);
  expect(visible('می\u200cخواهم')).toContain('\\u{200c}');
  expect(visibleProse('a\u200cb \u200d中\u200c国 \rx\u202e\u{e0041}')).toBe(
    'a\\u{200c}b \\u{200d}中\\u{200c}国 \\u{d}x\\u{202e}\\u{e0041}',
  );
});

it('says who acted by the name, then what kind of actor that is', () => {
  expect(['token:reader', 'ann', 'token:a:b\u202e'].map(visibleActor)).toEqual([
    'reader (token)',
    'ann',
    'a:b\\u{202e} (token)',
  ]);
});
