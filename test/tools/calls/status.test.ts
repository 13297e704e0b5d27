import { describe, expect, it } from 'vitest';
import type { ToolDefinition } from '../../../src/protocol/tool.ts';
import { fakeTool, probe, toolboxOf, toolContext } from '../helpers.ts';

type Status = NonNullable<ToolDefinition<Record<string, never>>['status']>;

const statusOf = (status: Status, timeoutMs = 1000) =>
  probe(fakeTool({ sideEffect: 'probe', status, timeoutMs }), {});

describe('asking a tool what became of a call', () => {
  it('gives the result of one that ran', async () => {
    expect(await statusOf(() => ({ ran: true, result: { id: 7 } }))).toEqual({
      isError: false,
      code: null,
      text: '{"id":7}',
    });
  });

  it('knows one that did not run, and one whose outcome is unknown', async () => {
    expect(await statusOf(async () => ({ notRan: true }))).toBe('notRan');
    expect(await statusOf(() => ({ unknown: true }))).toBeNull();
  });

  it('knows nothing when status throws, hangs or answers nonsense', async () => {
    expect(
      await statusOf(() => {
        throw new Error('no');
      }),
    ).toBeNull();
    expect(await statusOf(() => new Promise(() => {}), 20)).toBeNull();
    const contradiction = { ran: true, notRan: true };
    const nonsenses = [{ ran: false }, { notRan: false }, { notRan: 'no' }, { ran: 'yes' }, contradiction];
    for (const nonsense of [undefined, null, 'ran', 0, {}, ...nonsenses])
      expect(await statusOf(() => nonsense as never)).toBeNull();
  });

  it('knows nothing of tools without status, unknown tools and invalid arguments', async () => {
    expect(await probe(fakeTool(), {})).toBeNull();
    expect(await toolboxOf().status('gone', '{}', toolContext())).toBeNull();
    const tool = fakeTool({ sideEffect: 'probe', status: () => ({ notRan: true }) });
    expect(await toolboxOf(tool).status('fake', 'not json', toolContext())).toBeNull();
  });
});
