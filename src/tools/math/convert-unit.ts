import { ToolFailure } from '../../protocol/tool.ts';
import { type BigNumber, type MathJsInstance, mathjs, mathUnits, type Unit } from './mathjs.ts';
import { unitNotation } from './unit-names.ts';

/** Units that mathjs lacks, or defines with too few digits (`acre`: 4046.86 m²). In order of dependence. */
const definitions: ReadonlyArray<readonly [name: string, definition: string, prefixes?: 'short']> = [
  ['acre', '4046.8564224 m^2'],
  ['psi', '6894.757293168361 Pa'],
  ['hp', '745.6998715822702 W'],
  ['eV', '1.602176634e-19 J', 'short'],
  ['cal', '4.184 J', 'short'],
  ['nauticalmile', '1852 m'],
  ['knot', '1852 m/hour'],
  ['lightyear', '9460730472580800 m'],
  ['rpm', '0.01666666666666666666666666666666666666667 Hz'],
  ['chi', '0.3333333333333333333333333333333333333333 m'],
  ['cun', '0.1 chi'],
  ['zhang', '10 chi'],
  ['li', '500 m'],
  ['mu', '666.6666666666666666666666666666666666667 m^2'],
  ['ping', '3.305785123966942148760330578512396694215 m^2'],
  ['jin', '500 g'],
  ['liang', '50 g'],
  ['qian', '5 g'],
  ['dan', '50 kg'],
];

const dimensions = [
  ['LENGTH', 'length'],
  ['MASS', 'mass'],
  ['TIME', 'time'],
  ['TEMPERATURE', 'temperature'],
  ['SURFACE', 'area'],
  ['VOLUME', 'volume'],
  ['BIT', 'data'],
  ['ENERGY', 'energy'],
  ['POWER', 'power'],
  ['PRESSURE', 'pressure'],
  ['FORCE', 'force'],
  ['ANGLE', 'angle'],
  ['FREQUENCY', 'frequency'],
] as const;

const maxNameChars = 60;
let defined = false;

/**
 * Converts between units of one dimension.
 *
 * @throws ToolFailure `UNKNOWN_UNIT`, `INCOMPATIBLE_UNITS`.
 */
export function convertUnit(value: number, from: string, to: string): BigNumber {
  const source = unitOf(value, from);
  const target = unitOf(1, to);
  if (!source.equalBase(target))
    throw new ToolFailure(
      'INCOMPATIBLE_UNITS',
      `${quoted(from)} is a unit of ${dimensionOf(source)}, ${quoted(to)} of ${dimensionOf(target)}; they cannot be converted`,
    );
  const result = source.toNumeric(target.formatUnits());
  return mathjs().bignumber(String(result));
}

function unitOf(value: number, name: string): Unit {
  const notation = unitNotation(name);
  // mathjs would silently multiply by a number in a unit ("5 km", "L/100km").
  const isName = name.length <= maxNameChars && !/(?:^|[\s/*(])[\d.+-]/.test(notation);
  const unit = isName ? (parseUnit(value, notation) ?? parseUnit(value, notation.toLowerCase())) : null;
  if (unit) return unit;
  throw new ToolFailure(
    'UNKNOWN_UNIT',
    `${quoted(name)} is not a known unit; use names such as km, mile, kg, jin, degC, L, m^2, km/h, GB (1000 MB), GiB, kWh. ` +
      'Currencies cannot be converted.',
  );
}

function parseUnit(value: number, notation: string): Unit | null {
  try {
    // As text: mathjs refuses to make a decimal of a double with more than 15 digits.
    const math = ready();
    return math.unit(math.bignumber(String(value)), notation);
  } catch {
    return null;
  }
}

function ready(): MathJsInstance {
  const math = mathUnits();
  if (!defined) {
    for (const [name, definition, prefixes] of definitions)
      math.createUnit(name, { definition, ...(prefixes && { prefixes }) }, { override: true });
    defined = true;
  }
  return math;
}

function dimensionOf(unit: Unit): string {
  return dimensions.find(([base]) => unit.hasBase(base))?.[1] ?? 'another kind';
}

function quoted(name: string): string {
  return JSON.stringify(name.slice(0, maxNameChars));
}
