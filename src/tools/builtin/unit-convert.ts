import { defineTool, ownArguments, type Tool } from '../../protocol/tool.ts';

const shownDigits = 12;

const parameters = ownArguments({
  value: { type: 'number' },
  from: { type: 'string', description: 'Unit of the value, for example mile' },
  to: { type: 'string', description: 'Unit to convert to, for example km' },
});

/** `unit_convert`: length, mass, temperature, area, volume, speed, time, data, energy, power, pressure. */
export function unitConvertTool(): Tool {
  return defineTool({
    name: 'unit_convert',
    description:
      'Converts a quantity between units of length, mass, temperature, area, volume, speed, time, data, energy, ' +
      'power, pressure or angle. Takes English and Chinese names and symbols: km, 公里, mile, 斤, degC, 华氏度, km/h, ' +
      'm^2, 平方英尺, GB, GiB. C, F and K are temperatures. No currencies.',
    parameters,
    sideEffect: 'readonly',
    async run({ value, from, to }) {
      const { convertUnit } = await import('../math/convert-unit.ts');
      const { formatNumber } = await import('../math/format-number.ts');
      return `${formatNumber(convertUnit(value, from, to), shownDigits)} ${to.trim()}`;
    },
  });
}
