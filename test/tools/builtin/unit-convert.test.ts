import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { unitConvertTool } from '../../../src/tools/builtin/unit-convert.ts';
import { mathjs } from '../../../src/tools/math/mathjs.ts';
import { callTool } from '../helpers.ts';

const convert = (value: number, from: string, to: string) => callTool(unitConvertTool(), { value, from, to });

describe('unit_convert', () => {
  it.each([
    [100, 'km', 'mile', '62.1371192237 mile'],
    [5, '公里', '英里', '3.10685596119 英里'],
    [6, 'ft', 'cm', '182.88 cm'],
    [1, '海里', '米', '1852 米'],
    [3, '尺', 'm', '1 m'],
    [1, '斤', '克', '500 克'],
    [10, '斤', '公斤', '5 公斤'],
    [1, 'pound', 'kg', '0.45359237 kg'],
    [37, '摄氏度', '华氏度', '98.6 华氏度'],
    [32, 'F', 'C', '0 C'],
    [0, 'K', '°C', '-273.15 °C'],
    [1, '平方公里', '亩', '1500 亩'],
    [1, 'acre', 'm²', '4046.8564224 m²'],
    [1, '㎡', 'square feet', '10.7639104167 square feet'],
    [1, 'm3', '升', '1000 升'],
    [1, '加仑', 'mL', '3785.411784 mL'],
    [100, '公里/小时', 'mph', '62.1371192237 mph'],
    [1, '节', '公里每小时', '1.852 公里每小时'],
    [2, 'hours', '分钟', '120 分钟'],
    [1, 'TiB', 'B', '1099511627776 B'],
    [1, 'GB', 'MB', '1000 MB'],
    [100, 'Mbps', 'MB/s', '12.5 MB/s'],
    [1, '大卡', 'kJ', '4.184 kJ'],
    [1, '度电', 'MJ', '3.6 MJ'],
    [1, 'atm', 'kPa', '101.325 kPa'],
    [180, 'deg', 'rad', '3.14159265359 rad'],
    [1, 'Kilometers', 'METERS', '1000 METERS'],
    [-40, 'degC', 'degF', '-40 degF'],
    [0.1, 'm', 'cm', '10 cm'],
  ])('%d %s is %s: %s', async (value, from, to, text) => {
    expect(await convert(value, from, to)).toEqual({ isError: false, code: null, text });
  });

  it('refuses to convert between dimensions, and says which they are', async () => {
    expect(await convert(1, 'kg', '米')).toMatchObject({
      code: 'INCOMPATIBLE_UNITS',
      text: '"kg" is a unit of mass, "米" of length; they cannot be converted',
    });
  });

  it.each(['USD', '', ' ', '5 km', 'L/100km', 'constructor', '__proto__', 'm; 1', '(', '度'])(
    'does not know the unit %j',
    async (unit) => {
      expect(await convert(1, unit, 'm')).toMatchObject({ code: 'UNKNOWN_UNIT' });
      expect(await convert(1, 'm', unit)).toMatchObject({ code: 'UNKNOWN_UNIT' });
    },
  );

  it('takes any finite value and ends at once', async () => {
    for (const value of [0, -0, 1e300, 1e-300, Number.MAX_VALUE, 1 / 3])
      expect(await convert(value, 'km', 'mm')).toMatchObject({ isError: false });
    // The numbers that mathjs calculates with: for so high a power, a multiplication for each of its bits would do.
    const { prototype } = mathjs().bignumber(1).constructor;
    const multiplied = vi.spyOn(prototype, 'times');
    onTestFinished(() => multiplied.mockRestore());
    await convert(1, 'km^999999999', 'mm^999999999');
    expect(multiplied.mock.calls.length).toBeLessThan(1_000);
  });
});
