import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../../src/runtime/config/redaction.ts';

describe('known secrets', () => {
  it('are the values of variables that say so by their names', () => {
    const env = {
      OPENAI_API_KEY: 'sk-0123456789',
      MY_APIKEY: 'apikey-value',
      GITHUB_TOKEN: 'token-value',
      DB_PASSWORD: 'password-value',
      AWS_SECRET: 'secret-value',
      GOOGLE_CREDENTIALS: 'credentials-value',
      HOME: '/home/somebody',
    };
    const { redact } = createRedactor(env);
    expect(redact(Object.values(env).join(' '))).toBe(
      [
        ...Object.keys(env)
          .slice(0, 6)
          .map((name) => `[redacted:${name}]`),
        '/home/somebody',
      ].join(' '),
    );
  });

  it('are the values of variables that are named', () => {
    expect(createRedactor({ MINE: 'my own secret' }, ['MINE']).redact('my own secret!')).toBe(
      '[redacted:MINE]!',
    );
  });

  it.each([
    ['short ones, which innocent text may hold', { X_TOKEN: 'seven77' }],
    ['those of digits alone, which numbers may hold', { X_TOKEN: '1234567890' }],
    ['those that are not set', { X_TOKEN: undefined }],
    ['those of variables that name no secret', { TOKENIZER: 'some value' }],
  ])('are not %s', (_, env) => {
    const text = `seven77 1234567890 undefined some value`;
    expect(createRedactor(env).redact(text)).toBe(text);
  });

  it('are taken out as JSON spells them, and as JSON within JSON does', () => {
    const secret = 'a "quoted"\\back\nslashed secret';
    const { redact } = createRedactor({ X_SECRET: secret });
    const once = JSON.stringify({ text: secret });
    const twice = JSON.stringify({ arguments: once });
    expect(JSON.parse(redact(once))).toEqual({ text: '[redacted:X_SECRET]' });
    expect(JSON.parse(JSON.parse(redact(twice)).arguments)).toEqual({ text: '[redacted:X_SECRET]' });
  });

  it('are taken out whole when one holds another', () => {
    const { redact } = createRedactor({ A_TOKEN: 'inner-secret', B_TOKEN: 'an inner-secret and more' });
    expect(redact('an inner-secret and more, inner-secret')).toBe('[redacted:B_TOKEN], [redacted:A_TOKEN]');
  });

  it('are taken out literally, whatever characters they have', () => {
    const { redact } = createRedactor({ X_TOKEN: "$& $1 .* ($') [a]" });
    expect(redact("x $& $1 .* ($') [a] x")).toBe('x [redacted:X_TOKEN] x');
  });

  it('leave JSON that can be parsed, and nothing of themselves in it', () => {
    const word = fc
      .string({ minLength: 8, maxLength: 20, unit: 'grapheme' })
      .filter((text) => !/^\d+$|^[\s\\"]/.test(text) && !/[\\"]$/.test(text));
    fc.assert(
      fc.property(word, fc.string(), fc.string(), (secret, before, after) => {
        const text = createRedactor({ X_TOKEN: secret }).redact(
          JSON.stringify({ v: `${before} ${secret} ${after}` }),
        );
        expect(JSON.parse(text).v).not.toContain(secret);
      }),
    );
  });
});

describe('known secrets in text that comes in pieces', () => {
  const secret = fc.string({ minLength: 8, maxLength: 12, unit: fc.constantFrom('a', 'b', '"') });
  const cuts = fc.array(fc.nat(60), { maxLength: 12 });

  it('are taken out wherever the pieces are cut, and nothing else is changed', () => {
    fc.assert(
      fc.property(secret, fc.array(fc.constantFrom('SECRET', 'a', 'b ', 'c')), cuts, (value, words, at) => {
        const redactor = createRedactor({ X_TOKEN: value });
        const text = words.map((word) => (word === 'SECRET' ? value : word)).join('');
        const places = [0, ...at.map((place) => Math.min(place, text.length)), text.length].sort(
          (a, b) => a - b,
        );
        const stream = redactor.stream();
        const shown = places.slice(1).map((end, i) => stream.push(text.slice(places[i], end)));
        expect(shown.join('') + stream.flush()).toBe(redactor.redact(text));
      }),
    );
  });

  it('hold back no more than what may be the beginning of one', () => {
    const stream = createRedactor({ X_TOKEN: 'sk-0123456789' }).stream();
    expect(['all of this', ' but sk', '-01 is none', ' sk-'].map((piece) => stream.push(piece))).toEqual([
      'all of thi',
      's but ',
      'sk-01 is none',
      ' ',
    ]);
    expect(stream.flush()).toBe('sk-');
  });
});
