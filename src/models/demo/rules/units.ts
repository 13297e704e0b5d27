/** The calculator's name of a unit (mathjs notation) and what people call it. */
const units: Readonly<Record<string, string>> = {
  km: 'km kilometer kilometers kilometre kilometres 公里 千米',
  m: 'm meter meters metre metres 米',
  cm: 'cm centimeter centimeters centimetre centimetres 厘米 公分',
  mm: 'mm millimeter millimeters millimetre millimetres 毫米',
  mile: 'mi mile miles 英里',
  yard: 'yd yard yards 码',
  foot: 'ft foot feet 英尺',
  inch: 'in inch inches 英寸',
  kg: 'kg kilo kilos kilogram kilograms 公斤 千克',
  g: 'g gram grams 克',
  mg: 'mg milligram milligrams 毫克',
  tonne: 'tonne tonnes 吨 公吨',
  lb: 'lb lbs pound pounds 磅',
  oz: 'oz ounce ounces 盎司',
  celsius: 'c celsius degc °c ℃ 摄氏度 摄氏',
  fahrenheit: 'f fahrenheit degf °f ℉ 华氏度 华氏',
  kelvin: 'k kelvin 开尔文',
  l: 'l liter liters litre litres 升 公升',
  ml: 'ml milliliter milliliters millilitre millilitres 毫升',
  gallon: 'gal gallon gallons 加仑',
  'km/h': 'km/h kmh kph 公里每小时 千米每小时',
  'mi/h': 'mph mi/h 英里每小时',
  'm/s': 'm/s 米每秒',
  hour: 'h hour hours 小时',
  minute: 'min minute minutes 分钟',
  second: 's sec second seconds 秒',
  day: 'day days 天',
  week: 'week weeks 周 星期',
};

const byName = new Map(
  Object.entries(units).flatMap(([unit, names]) => names.split(' ').map((name) => [name, unit] as const)),
);

/** The unit that a word names, in the tool's notation; null for any other word. */
export function asUnit(word: string): string | null {
  const name = word.trim().toLowerCase();
  return byName.get(name) ?? byName.get(name.replace(/^(?:degrees? |deg )/, '')) ?? null;
}
