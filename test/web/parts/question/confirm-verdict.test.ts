import { describe, expect, it } from 'vitest';
import { verdictInWords, verdictOf } from '../../../../web/src/parts/question/confirm-verdict.ts';

const written = { reason: '', grant: null, modified: () => null };
const grant = { tool: 'write_file', pattern: { path: { is: 'a.md' } } };

describe('what the button of a call means', () => {
  it('is an approval, of this call or of those that the grant covers', () => {
    expect(verdictOf('none', written)).toEqual({ verdict: 'approve' });
    expect(verdictOf('none', { ...written, grant })).toEqual({ verdict: 'approve', grant });
  });

  it('is a rejection, with its reason if one is written, and never with a grant', () => {
    expect(verdictOf('reject', { ...written, reason: '  ', grant })).toEqual({ verdict: 'reject' });
    expect(verdictOf('reject', { ...written, reason: ' too much ' })).toEqual({
      verdict: 'reject',
      reason: 'too much',
    });
  });

  it('is an approval of the changed arguments, and nothing while they are not valid', () => {
    expect(verdictOf('modify', { ...written, grant, modified: () => ({ path: 'b.md' }) })).toEqual({
      verdict: 'modify',
      arguments: { path: 'b.md' },
    });
    expect(verdictOf('modify', written)).toBeNull();
  });

  it('is said on it: different words for each', () => {
    const words = [
      verdictInWords('none', written),
      verdictInWords('none', { reason: '', grant }),
      verdictInWords('reject', written),
      verdictInWords('reject', { reason: 'no', grant: null }),
      verdictInWords('modify', written),
    ];
    expect(new Set(words).size).toBe(5);
    expect(words[0]).toBe('Approve');
  });
});
