import { describe, expect, it } from 'vitest';
import { defaultPattern, matchesGrant } from '../../../../src/protocol/ports/toolbox.ts';
import { grantInWords, grantPattern } from '../../../../web/src/parts/question/grant-pattern.ts';

const parameters = { type: 'object', properties: { path: {}, content: {} } };

describe('grantPattern', () => {
  it('is the pattern that the gateway would take by itself', () => {
    const args = { path: 'a.md', content: 'x' };
    expect(grantPattern(args, { parameters, grantBy: ['path'] })).toEqual(
      defaultPattern(args, ['path'], ['path', 'content']),
    );
    expect(grantPattern(args, { parameters })).toEqual(defaultPattern(args, undefined, ['path', 'content']));
    expect(grantPattern(args, undefined)).toEqual(defaultPattern(args, undefined, []));
  });

  it('means the call itself, and no call with another option', () => {
    const pattern = grantPattern({ path: 'a.md', content: 'x' }, { parameters, grantBy: ['path'] });
    expect(matchesGrant(pattern, '{"path":"a.md","content":"y"}')).toBe(true);
    expect(matchesGrant(pattern, '{"path":"b.md","content":"x"}')).toBe(false);
    expect(matchesGrant(pattern, '{"path":"a.md","content":"x","force":true}')).toBe(false);
  });
});

describe('grantInWords', () => {
  it('says each field: which value it holds, or that it may be anything', () => {
    const pattern = grantPattern({ path: 'a.md', content: 'x' }, { parameters, grantBy: ['path'] });
    expect(grantInWords('write_file', pattern)).toBe('write_file, path “a.md”, any content');
    expect(grantInWords('reset', {})).toBe('reset without arguments');
    expect(grantInWords('pay', { cents: { is: 7 }, to: { is: 'y'.repeat(90) } })).toBe(
      `pay, cents “7”, to “${'y'.repeat(60)}…”`,
    );
    expect(grantInWords('pay', { to: { is: 'a\u202eb\nc' } })).toBe('pay, to “a\\u{202e}b↵c”');
  });

  it('refers to the arguments that are shown, where all of them are held and they are many', () => {
    const fields = Array.from({ length: 9 }, (_, i) => [`field${i}`, { is: 'x'.repeat(50) }] as const);
    expect(grantInWords('act', Object.fromEntries(fields))).toBe('act with exactly the arguments above');
    expect(grantInWords('act', { ...Object.fromEntries(fields), note: { any: true } })).toContain('any note');
  });

  it('shows characters that hide or turn a line around, in names of fields too', () => {
    expect(grantInWords('pay', { 'to\u202e': { is: 'ann\u200b' }, 'no\u00ad': { any: true } })).toBe(
      'pay, to\\u{202e} “ann\\u{200b}”, any no\\u{ad}',
    );
  });
});
