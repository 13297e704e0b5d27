/** Names of units in mathjs' notation, each with its aliases. Latin aliases are in lower case. */
export const aliases: Readonly<Record<string, string>> = {
  // Length
  m: '米 公尺',
  km: '公里 千米',
  dm: '分米',
  cm: '厘米 公分',
  mm: '毫米 公厘',
  um: '微米 μm µm',
  nm: '纳米',
  mile: '英里 哩',
  yard: '码',
  ft: '英尺 呎 foot feet',
  inch: '英寸 吋',
  nauticalmile: '海里 浬 nmi nautical_mile nautical_miles nauticalmiles',
  lightyear: '光年 ly light_year light_years lightyears',
  li: '里 市里 华里',
  zhang: '丈',
  chi: '尺 市尺',
  cun: '寸 市寸',
  // Mass
  kg: '公斤 千克 kilo kilos kgs',
  g: '克 公克',
  mg: '毫克',
  ug: '微克 μg µg',
  tonne: '吨 公吨 metric_ton metric_tons',
  lb: '磅 英磅 pound pounds',
  oz: '盎司 安士',
  jin: '斤 市斤',
  liang: '两 市两',
  qian: '钱',
  dan: '担 市担',
  // Temperature. Single letters mean degrees here; coulomb and farad have their full names.
  degC: '摄氏度 摄氏 度c c °c deg_c degrees_celsius degree_celsius centigrade',
  degF: '华氏度 华氏 f °f deg_f degrees_fahrenheit degree_fahrenheit',
  K: '开 开尔文 k °k',
  degR: '兰氏度 °r',
  // Area
  'm^2': '平方米 平米 平方 sqm',
  'km^2': '平方公里 平方千米 sqkm',
  hectare: '公顷 ha',
  acre: '英亩 acres',
  mu: '亩 市亩',
  ping: '坪',
  // Volume
  L: '升 公升',
  mL: '毫升 公撮 cc',
  'm^3': '立方米 立方 方 cbm',
  gallon: '加仑',
  pint: '品脱',
  quart: '夸脱',
  cup: '杯',
  fluidounce: '液盎司 fl_oz fluid_ounce fluid_ounces',
  tablespoon: '汤匙 大匙 tbsp',
  teaspoon: '茶匙 小匙 tsp',
  // Speed
  'km/h': '公里每小时 千米每小时 kph kmh kmph',
  'mile/h': '英里每小时 mph',
  'm/s': '米每秒 mps',
  knot: '节 kn kt knots',
  // Time
  s: '秒 秒钟',
  ms: '毫秒',
  us: '微秒 μs µs',
  ns: '纳秒',
  minute: '分 分钟',
  hour: '小时 钟头 时',
  day: '天 日',
  week: '周 星期 礼拜',
  month: '月 个月',
  year: '年 yr yrs',
  // Data
  b: '比特 位',
  B: '字节',
  kB: '千字节 kb',
  MB: '兆字节 兆',
  GB: '吉字节',
  TB: '太字节',
  'Mb/s': '兆比特每秒 mbps mbit/s',
  'Gb/s': 'gbps gbit/s',
  // Energy, power, pressure, force, angle, frequency
  J: '焦耳 焦',
  kJ: '千焦',
  cal: '卡 卡路里 calorie calories',
  kcal: '千卡 大卡 kilocalorie kilocalories',
  kWh: '度电 千瓦时 千瓦小时',
  Wh: '瓦时',
  W: '瓦 瓦特',
  kW: '千瓦',
  MW: '兆瓦',
  hp: '马力 英制马力 horsepower',
  Pa: '帕 帕斯卡',
  kPa: '千帕',
  MPa: '兆帕',
  atm: '大气压 标准大气压 atmosphere atmospheres',
  bar: '巴',
  mmHg: '毫米汞柱 mmhg',
  N: '牛 牛顿',
  kilogramforce: '公斤力 千克力 kgf',
  rad: '弧度',
  deg: '角度 °',
  Hz: '赫兹 赫 hz',
  rpm: '转每分 转每分钟 转/分',
};

const byAlias = new Map(
  Object.entries(aliases).flatMap(([unit, names]) => names.split(' ').map((name) => [name, unit] as const)),
);

/**
 * A unit as people write it, in mathjs' notation: Chinese and English names, `㎡`, `km²`, `m3`, `平方英尺`,
 * `square feet`, `公里/小时`, `km per hour`. An unknown name comes back as it is.
 */
export function unitNotation(name: string): string {
  // Before NFKC, which turns `m²` into `m2`.
  const plain = name
    .replaceAll('²', '^2')
    .replaceAll('³', '^3')
    .normalize('NFKC')
    .trim()
    .replace(/\s+/g, ' ');
  const whole = known(plain);
  if (whole) return whole;
  return plain
    .split(/ ?\/ ?| per |每/)
    .map(single)
    .join('/');
}

function single(name: string): string {
  const [, square, ofSquare] = /^(平方|square |sq\.? )(.+)$/i.exec(name) ?? [];
  if (square && ofSquare) return `${single(ofSquare)}^2`;
  const [, cubic, ofCubic] = /^(立方|cubic |cu\.? )(.+)$/i.exec(name) ?? [];
  if (cubic && ofCubic) return `${single(ofCubic)}^3`;
  const [, base, power] = /^([A-Za-z]+)\^?([23])$/.exec(name) ?? [];
  if (base && power) return `${single(base)}^${power}`;
  return known(name) ?? name;
}

function known(name: string): string | undefined {
  return byAlias.get(name) ?? byAlias.get(name.toLowerCase().replaceAll(' ', '_'));
}
