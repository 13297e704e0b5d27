import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toolContent } from '../../src/protocol/content.ts';
import { returnedOutcome } from '../../src/tools/calls/outcome.ts';
import { heads, pdf, png } from '../support/pictures.ts';

const base64 = (bytes: Buffer) => bytes.toString('base64');

describe('content of the Model Context Protocol', () => {
  it('is text and images', () => {
    const outcome = returnedOutcome({
      content: [
        { type: 'text', text: 'Two:' },
        { type: 'image', data: base64(png()), mimeType: 'image/png' },
        { type: 'text', text: 'and' },
        { type: 'image', data: base64(heads.gif), mimeType: 'image/png', name: 'moving.gif' },
      ],
    });
    expect(outcome).toEqual({
      isError: false,
      code: null,
      text: 'Two:\nand',
      parts: [
        { type: 'image', mimeType: 'image/png', data: base64(png()) },
        { type: 'image', mimeType: 'image/gif', data: base64(heads.gif), name: 'moving.gif' },
      ],
    });
  });

  it('is a failure when it says so', () => {
    expect(returnedOutcome({ content: [{ type: 'text', text: 'no' }], isError: true })).toEqual({
      isError: true,
      code: 'TOOL_FAILED',
      text: 'no',
    });
  });

  it('has resources: text as text, PDF files and images as such, links in words', () => {
    const outcome = returnedOutcome({
      content: [
        { type: 'resource', resource: { uri: 'file:///a.txt', text: 'words' } },
        {
          type: 'resource',
          resource: { uri: 'file:///dir/b.pdf', mimeType: 'text/plain', blob: base64(pdf()) },
        },
        { type: 'resource_link', uri: 'file:///c.txt', description: 'more' },
        { type: 'resource', resource: { uri: 'file:///d' } },
      ],
    });
    expect(outcome.text).toBe('words\n[link file:///c.txt: more]\n[resource file:///d]');
    expect(outcome.parts).toEqual([
      { type: 'file', mimeType: 'application/pdf', name: 'b.pdf', data: base64(pdf()) },
    ]);
  });

  it('that no model can be shown is told in words', () => {
    const outcome = returnedOutcome({
      content: [
        { type: 'image', data: base64(heads.bmp), mimeType: 'image/bmp' },
        { type: 'image', data: 'no base64!', mimeType: 'image/png', name: 'a.png' },
        { type: 'image', data: '', mimeType: 'image/png' },
        { type: 'audio', data: base64(heads.wav), mimeType: 'audio/wav' },
      ],
    });
    expect(outcome.parts).toBeUndefined();
    expect(outcome.text.split('\n')).toEqual([
      '[image/bmp, left out: it is no PNG, JPEG, GIF, WebP or PDF]',
      '[a.png, left out: its data is not base64]',
      '[image/png, left out: it is empty]',
      '[audio audio/wav, left out: no model is given sound]',
    ]);
  });

  it('of more than 20 images keeps the first', () => {
    const image = { type: 'image', data: base64(png()), mimeType: 'image/png' };
    const outcome = returnedOutcome({ content: Array.from({ length: 22 }, () => image) });
    expect(outcome.parts).toHaveLength(20);
    expect(outcome.text.match(/a result holds 20 files/g)).toHaveLength(2);
  });

  it('without items is what it says in structure', () => {
    expect(returnedOutcome({ content: [], structuredContent: { a: 1 } }).text).toBe('{"a":1}');
  });
});

describe('what only looks like it', () => {
  it.each([
    { content: [] },
    { content: 'text' },
    { content: [{ type: 'text' }] },
    { content: [{ type: 'paragraph', text: 'a' }] },
    { content: [{ type: 'text', text: 'a' }], title: 'mine' },
    { content: [{ type: 'image', data: 5, mimeType: 'image/png' }] },
    { content: [{ type: 'text', text: 'a' }], isError: 'no' },
  ])('is JSON of the tool’s own: %j', (value) => {
    expect(returnedOutcome(value)).toEqual({ isError: false, code: null, text: JSON.stringify(value) });
  });

  it('never makes a tool fail', () => {
    const item = fc.record(
      {
        type: fc.constantFrom('text', 'image', 'resource', 'audio'),
        text: fc.string(),
        data: fc.base64String(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.record({ content: fc.array(fc.oneof(item, fc.anything())) }), (value) => {
        const { isError, code } = returnedOutcome(value);
        expect(isError ? code : null).toSatisfy((known) => known === null || known === 'TOOL_RESULT_INVALID');
      }),
    );
  });
});

describe('toolContent', () => {
  it('says what files are by their bytes', () => {
    const outcome = returnedOutcome(
      toolContent('Here.', [
        { data: png(), name: 'a' },
        { data: pdf(), name: 'b c.pdf' },
        { data: heads.jpeg },
      ]),
    );
    expect(outcome).toEqual({
      isError: false,
      code: null,
      text: 'Here.',
      parts: [
        { type: 'image', mimeType: 'image/png', name: 'a', data: base64(png()) },
        { type: 'file', mimeType: 'application/pdf', name: 'b c.pdf', data: base64(pdf()) },
        { type: 'image', mimeType: 'image/jpeg', data: base64(heads.jpeg) },
      ],
    });
  });

  it('tells in words what is neither image nor PDF', () => {
    const outcome = returnedOutcome(toolContent('', [{ data: heads.bmp, name: 'a.bmp' }]));
    expect(outcome).toMatchObject({ text: '[a.bmp, left out: it is no PNG, JPEG, GIF, WebP or PDF]' });
  });
});
