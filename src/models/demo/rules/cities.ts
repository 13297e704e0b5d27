/** IANA time zones and the cities that people ask for by name. */
const cities: Readonly<Record<string, string>> = {
  'Asia/Shanghai': 'beijing|shanghai|shenzhen|china|北京|上海|深圳|广州|中国',
  'Asia/Hong_Kong': 'hong kong|香港',
  'Asia/Taipei': 'taipei|台北',
  'Asia/Tokyo': 'tokyo|osaka|japan|东京|大阪|日本',
  'Asia/Seoul': 'seoul|korea|首尔|韩国',
  'Asia/Singapore': 'singapore|新加坡',
  'Asia/Kolkata': 'delhi|new delhi|mumbai|bangalore|india|德里|孟买|印度',
  'Asia/Dubai': 'dubai|迪拜',
  'Europe/London': 'london|伦敦|英国',
  'Europe/Paris': 'paris|巴黎|法国',
  'Europe/Berlin': 'berlin|munich|germany|柏林|德国',
  'Europe/Zurich': 'zurich|苏黎世',
  'Europe/Madrid': 'madrid|马德里',
  'Europe/Rome': 'rome|罗马',
  'Europe/Moscow': 'moscow|莫斯科',
  'Africa/Cairo': 'cairo|开罗',
  'Africa/Johannesburg': 'johannesburg|约翰内斯堡',
  'America/New_York': 'new york|nyc|boston|washington|纽约|波士顿|华盛顿',
  'America/Chicago': 'chicago|芝加哥',
  'America/Denver': 'denver|丹佛',
  'America/Los_Angeles': 'los angeles|la|san francisco|seattle|洛杉矶|旧金山|西雅图',
  'America/Toronto': 'toronto|多伦多',
  'America/Sao_Paulo': 'sao paulo|são paulo|圣保罗',
  'Australia/Sydney': 'sydney|melbourne|悉尼|墨尔本',
  'Pacific/Auckland': 'auckland|奥克兰',
  UTC: 'utc|gmt',
};

const byCity = new Map(
  Object.entries(cities).flatMap(([zone, names]) => names.split('|').map((name) => [name, zone] as const)),
);
const iana = /^[A-Z][A-Za-z_]{1,20}\/[A-Z][A-Za-z_/+-]{1,40}$/;

/** The IANA zone of a city, or the zone itself when its name is given; null for a place the demo does not know. */
export function asTimezone(place: string): string | null {
  const name = place.trim();
  return byCity.get(name.toLowerCase()) ?? (iana.test(name) ? name : null);
}
