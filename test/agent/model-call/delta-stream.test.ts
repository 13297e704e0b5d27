import { describe, expect, it } from 'vitest';
import { DeltaStream } from '../../../src/agent/model-call/delta-stream.ts';
import type { ModelDelta } from '../../../src/protocol/content.ts';
import { createRedactor } from '../../../src/runtime/config/redaction.ts';

describe('what watchers see of an answer as it comes', () => {
  const open = (secret?: string) => {
    const told: [ModelDelta, number][] = [];
    const redactor = createRedactor({ X_TOKEN: secret });
    const stream = new DeltaStream(redactor.stream, {
      signalWatchers: ({ delta, offset }) => void told.push([delta as ModelDelta, Number(offset)]),
    });
    return { stream, told };
  };

  it('counts the characters of each part for itself', () => {
    const { stream, told } = open();
    stream.push({ type: 'reasoning', text: 'hm' });
    stream.push({ type: 'text', text: 'Hello' });
    stream.push({ type: 'reasoning', text: 'so' });
    stream.push({ type: 'text', text: ' you' });
    stream.end();
    expect(told.map(([delta, offset]) => [delta.type, offset])).toEqual([
      ['reasoning', 0],
      ['text', 0],
      ['reasoning', 2],
      ['text', 5],
    ]);
  });

  it('has no secret in it, though its pieces are cut within one', () => {
    const { stream, told } = open('secret-value');
    stream.push({ type: 'text', text: 'It is sec' });
    stream.push({ type: 'text', text: 'ret-value, or sec' });
    stream.end();
    expect(told).toEqual([
      [{ type: 'text', text: 'It is ' }, 0],
      [{ type: 'text', text: '[redacted:X_TOKEN], or ' }, 6],
      [{ type: 'text', text: 'sec' }, 29],
    ]);
  });

  it('names a call at once, and takes secrets out of its arguments', () => {
    const { stream, told } = open('secret-value');
    stream.push({ type: 'toolCall', index: 0, id: 'a', name: 'send', argumentsDelta: '' });
    stream.push({ type: 'toolCall', index: 0, id: 'a', name: 'send', argumentsDelta: '{"k":"secret-' });
    stream.push({ type: 'toolCall', index: 1, id: 'b', name: 'list', argumentsDelta: '{}' });
    stream.push({ type: 'toolCall', index: 0, id: 'a', name: 'send', argumentsDelta: 'value"}' });
    stream.end();
    expect(
      told.map(([delta, offset]) => [delta.type === 'toolCall' && delta.argumentsDelta, offset]),
    ).toEqual([
      ['', 0],
      ['{"k":"', 0],
      ['{}', 0],
      ['[redacted:X_TOKEN]"}', 6],
    ]);
  });
});
