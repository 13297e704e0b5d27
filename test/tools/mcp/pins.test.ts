import { describe, expect, it } from 'vitest';
import type { ListedTool } from '../../../src/tools/mcp/connect.ts';
import { Pins } from '../../../src/tools/mcp/pins.ts';
import { temporaryFolder } from '../../store/support.ts';

const tool = (name: string, description: string): ListedTool => ({
  name,
  description,
  inputSchema: {},
  taskOnly: false,
});

describe('the tools of servers that two processes meet at the same time', () => {
  it('are all remembered, as are those that a person accepts meanwhile', async () => {
    const folder = await temporaryFolder();
    const processes = Array.from({ length: 4 }, () => new Pins(folder));
    const work = processes.flatMap((pins, i) => [
      pins.check(`server${i}`, [tool('echo', 'as it was')]),
      pins.accept(`other${i}`, [tool('echo', 'as it was')]),
    ]);
    await Promise.all(work);
    for (const name of ['server', 'other'])
      for (const i of processes.keys())
        expect([...(await new Pins(folder).check(`${name}${i}`, [tool('echo', 'changed')]))]).toEqual([
          'echo',
        ]);
  });

  it('count as changed for the second, if the server told it something else', async () => {
    const folder = await temporaryFolder();
    const told = ['one thing', 'another'];
    const changed = await Promise.all(
      told.map((words) => new Pins(folder).check('server', [tool('echo', words)])),
    );
    expect(changed.map(({ size }) => size).toSorted()).toEqual([0, 1]);
  });
});
