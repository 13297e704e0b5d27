import { describe, expect, it } from 'vitest';
import { DetentError } from '../../../src/protocol/error.ts';
import { doneFact, failedFact, serviceError } from '../../../src/workflow/host/workflow-parts.ts';

const redact = (text: string) => text.replaceAll('s3cret', '[secret]');
const gone = Object.assign(new Error('not there'), { kind: 'gone', at: [1], when: new Date(0) });

describe('a failure of a service', () => {
  it.each([
    [new Error('broken'), { code: 'SERVICE_FAILED', message: 'broken' }],
    [gone, { code: 'SERVICE_FAILED', message: 'not there', fields: { kind: 'gone', at: [1] } }],
    [
      Object.assign(new Error('x'), { code: 'E_X', retryable: false }),
      { code: 'E_X', message: 'x', retryable: false },
    ],
    [Object.assign(new Error('x'), { large: 'x'.repeat(5_000) }), { code: 'SERVICE_FAILED', message: 'x' }],
    [
      { type: 'Unavailable' },
      { code: 'SERVICE_FAILED', message: '{"type":"Unavailable"}', thrown: [{ type: 'Unavailable' }] },
    ],
    [
      { code: 'small', message: 'words' },
      { code: 'SERVICE_FAILED', message: 'words', thrown: [{ code: 'small', message: 'words' }] },
    ],
    ['words', { code: 'SERVICE_FAILED', message: 'words', thrown: ['words'] }],
    [undefined, { code: 'SERVICE_FAILED', message: 'undefined', thrown: [] }],
  ])('%o has its code, its message and its own fields', (thrown, told) => {
    expect(serviceError(thrown)).toEqual(told);
  });

  it('of Detent has its code, and says whether to try again', () => {
    const error = new DetentError('OVERLOADED', 'later', { retryable: true });
    expect(serviceError(error)).toEqual({ code: 'OVERLOADED', message: 'later', retryable: true });
  });

  it('has no known secret, in its message or its fields', () => {
    const { event } = failedFact({ redact }, 3, { code: 'X', message: 'a s3cret', fields: { of: 's3cret' } });
    expect(event).toMatchObject({ error: { message: 'a [secret]', fields: { of: '[secret]' } } });
    const thrown = failedFact({ redact }, 3, { code: 'X', message: 'x', thrown: [{ of: 's3cret' }] });
    expect(thrown.event).toMatchObject({ error: { thrown: [{ of: '[secret]' }] } });
  });
});

describe('an output', () => {
  it.each([
    [undefined, {}],
    [null, { output: null }],
    [{ text: 'a s3cret', not: undefined }, { output: { text: 'a [secret]' } }],
  ])('%o is told as it is, without known secrets', (output, told) => {
    expect(doneFact({ redact }, 3, output).event).toEqual({ type: 'service.done', effectId: 3, ...told });
  });
});
