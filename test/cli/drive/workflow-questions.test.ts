import { describe, expect, it } from 'vitest';
import { decideHere, type Person } from '../../../src/cli/drive/decide-here.ts';
import { localPort } from '../../../src/cli/port/local-port.ts';
import { givenCalls } from '../../support/given-call.ts';

/** A person who types these lines. */
function typing(...lines: string[]) {
  const asked: string[] = [];
  const shown: string[] = [];
  const person: Person = {
    show: (text) => void shown.push(JSON.stringify(text)),
    ask: async (question) => {
      asked.push(question);
      const line = lines.shift();
      return line === undefined ? { end: 'left' } : { line };
    },
    withdraw() {},
    lend: (work) => work(),
  };
  return { person, asked, shown };
}

describe('a question of a workflow at a terminal', () => {
  it('is approved or rejected as it is: there is nothing to edit, and nothing to allow for later', async () => {
    const { detent, call, result } = await givenCalls([]);
    const { runId, view } = await call(
      'ask',
      { amount: 50 },
      { ask: { approval: { text: 'Refund 50 €?' } } },
    );
    const { person, asked, shown } = typing('e', 's', 'reject', 'too late');
    const done = await decideHere(localPort(detent), detent.runs.attach(runId), view, {} as never, person);
    expect(done).toBe('all');
    const prompt = '[a]pprove, [r]eject, [l]ater? ';
    expect(asked).toEqual([prompt, prompt, prompt, 'why (may be empty)? ']);
    expect(shown.join()).toContain('Refund 50 €?');
    expect(await result(runId)).toMatchObject({ approved: false, reason: 'too late' });
  });
});
