import { lateParameters } from '../../ports/late-parameters.ts';
import { defineTool, type Tool } from '../../ports/tool.ts';
import { convertUnit } from '../math/convert-unit.ts';
import { formatNumber } from '../math/format-number.ts';

const shownDigits = 12;

/** `unit_convert`: length, mass, temperature, area, volume, speed, time, data, energy, power, pressure. */
export function unitConvertTool(): Tool {
  return defineTool({
    name: 'unit_convert',
    description:
      'Converts a quantity between units of length, mass, temperature, area, volume, speed, time, data, energy, ' +
      'power, pressure or angle. Takes English and Chinese names and symbols: km, 公里, mile, 斤, degC, 华氏度, km/h, ' +
      'm^2, 平方英尺, GB, GiB. C, F and K are temperatures. No currencies.',
    ...lateParameters('unit_convert', (z) =>
      z.strictObject({
        value: z.number(),
        from: z.string().describe('Unit of the value, for example mile'),
        to: z.string().describe('Unit to convert to, for example km'),
      }),
    ),
    sideEffect: 'readonly',
    run: ({ value, from, to }) => `${formatNumber(convertUnit(value, from, to), shownDigits)} ${to.trim()}`,
  });
}
