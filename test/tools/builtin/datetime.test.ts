import { describe, expect, it } from 'vitest';
import { datetimeTool } from '../../../src/tools/builtin/datetime.ts';
import { callTool } from '../helpers.ts';

const at = Date.UTC(2026, 2, 5, 16, 3, 7, 89);
const now = (timezone?: string) =>
  callTool(
    datetimeTool(() => at),
    { timezone },
  );

describe('datetime', () => {
  it.each([
    ['Asia/Shanghai', '2026-03-06T00:03:07+08:00, Friday, Asia/Shanghai (epoch 1772726587089 ms)'],
    ['America/St_Johns', '2026-03-05T12:33:07-03:30, Thursday, America/St_Johns (epoch 1772726587089 ms)'],
    ['UTC', '2026-03-05T16:03:07+00:00, Thursday, UTC (epoch 1772726587089 ms)'],
  ])('tells the time in %s', async (zone, text) => {
    expect(await now(zone)).toEqual({ isError: false, code: null, text });
  });

  it('tells the time of the host by default, as an ISO date', async () => {
    const { text } = await now();
    expect(Date.parse(text.split(',')[0] ?? '')).toBe(Math.floor(at / 1000) * 1000);
  });

  it.each(['Beijing', '', '北京'])('explains what zone to give instead of %j', async (zone) => {
    expect(await now(zone)).toMatchObject({
      code: 'UNKNOWN_TIMEZONE',
      text: expect.stringContaining('use an IANA name such as Asia/Shanghai'),
    });
  });
});
