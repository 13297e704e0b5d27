import { describe, expect, it } from 'vitest';
import { todoTool } from '../../../src/tools/builtin/todo.ts';
import { createToolbox } from '../../../src/tools/toolbox.ts';
import { scripted } from '../../support/detent.ts';
import { planContext, toolContext } from '../helpers.ts';

const item = (content: string, status = 'pending') => ({ content, status });
const toolbox = createToolbox({ tools: [todoTool()], allowed: null });
const written = (items: unknown) => toolbox.run('todo', JSON.stringify({ items }), toolContext());

describe('todo', () => {
  it('answers the whole list, and tells it to watchers', async () => {
    const told: string[] = [];
    const items = [item('look', 'completed'), item('write', 'in_progress'), item('test')];
    const ctx = toolContext({ progress: (line) => told.push(line) });
    const { text } = await toolbox.run('todo', JSON.stringify({ items }), ctx);
    expect(text).toBe('[x] look\n[>] write\n[ ] test\n(1 of 3 done)');
    expect(told).toEqual(['[x] look', '[>] write', '[ ] test']);
    expect(await written([])).toMatchObject({ text: 'The list is empty.' });
  });

  it('needs no approval, and may be repeated', async () => {
    const plan = await toolbox.plan('todo', '{"items":[]}', planContext());
    expect(plan).toMatchObject({ gate: 'run', sideEffect: 'idempotent' });
  });

  it.each([
    ['a status that there is not', [item('look', 'done')]],
    ['an item without words', [item('  ')]],
    ['an item of more than 500 characters', [item('x'.repeat(501))]],
    ['more than 100 items', Array.from({ length: 101 }, (_, i) => item(`${i}`))],
    ['another field', [{ ...item('look'), priority: 'high' }]],
  ])('refuses %s', async (_, items) => {
    expect(await written(items)).toMatchObject({ code: 'INVALID_ARGUMENTS' });
  });

  it('is in the view of the run as it was written last', async () => {
    const first = [item('look'), item('write')];
    const last = [item('look', 'completed'), item('write')];
    const call = (items: unknown) => ({ toolCalls: [{ name: 'todo', arguments: { items } }] });
    const { detent } = await scripted([
      call(first),
      call(last),
      call([item('bad', 'nope')]),
      { text: 'end' },
    ]);
    expect((await detent.run('go').result).todo).toEqual(last);
    const other = await scripted([{ text: 'end' }]);
    expect(await other.detent.run('go').result).not.toHaveProperty('todo');
  });
});
