const digits: Readonly<Record<string, number>> = {
  零: 0,
  〇: 0,
  一: 1,
  二: 2,
  两: 2,
  三: 3,
  四: 4,
  五: 5,
  六: 6,
  七: 7,
  八: 8,
  九: 9,
};
const units: Readonly<Record<string, number>> = { 十: 10, 百: 100, 千: 1000 };

/** 百分之 is a per cent sign, not a hundred. */
const chineseNumeral = /(?:[零〇一二两三四五六七八九十千]|百(?!分之))+/g;

const englishNumerals =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty'.split(
    ' ',
  );
const englishNumeral = new RegExp(`\\b(?:${englishNumerals.join('|')})\\b`, 'gi');

/** Writes number words as digits: "three plus 四" becomes "3 plus 4". Chinese below 10,000, English up to twenty. */
export function withDigits(text: string): string {
  return text
    .replace(chineseNumeral, (numeral) => String(chineseValue(numeral)))
    .replace(englishNumeral, (numeral) => String(englishNumerals.indexOf(numeral.toLowerCase())));
}

/** 三百零五 → 305; 十二 → 12; a row of digits without units (二〇二六) is read digit by digit. */
function chineseValue(numeral: string): number {
  let total = 0;
  let digit = 0;
  let isRow = true;
  for (const mark of numeral) {
    const unit = units[mark];
    if (unit === undefined) {
      digit = isRow ? digit * 10 + (digits[mark] ?? 0) : (digits[mark] ?? 0);
      continue;
    }
    total += (digit || 1) * unit;
    digit = 0;
    isRow = false;
  }
  return total + digit;
}
