const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const month =
  '(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?';
const day = '(\\d{1,2})(?:st|nd|rd|th)?';
const year = '(?:,?\\s+((?:19|20)\\d\\d))?';

const iso = /(?<!\d)((?:19|20)\d\d)[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)/g;
const chinese = /(?:((?:19|20)\d\d)\s*年\s*)?(?<!\d)(\d{1,2})\s*月\s*(\d{1,2})\s*[日号號]/g;
const monthFirst = new RegExp(`\\b${month}\\s+${day}\\b${year}`, 'gi');
const dayFirst = new RegExp(`\\b${day}\\s+(?:of\\s+)?${month}\\b${year}`, 'gi');

/** No word of a text becomes such a term. */
export const datePrefix = '_date_';

/**
 * A term for each date in a text, however it is written: of `2023-04-29`, `April 29th, 2023` and `2023年4月29日` the terms
 * are the same, and one of them is that of `29 April` and `4月29日`. So a question about a day finds the file of that
 * day.
 */
export function dateTerms(text: string): string[] {
  if (!/\d/.test(text)) return [];
  const terms = new Set<string>();
  const add = (y: string | undefined, m: number, d: string | undefined) => {
    if (!(m >= 1 && m <= 12 && Number(d) >= 1 && Number(d) <= 31)) return;
    const inYear = `${String(m).padStart(2, '0')}_${String(Number(d)).padStart(2, '0')}`;
    terms.add(`${datePrefix}${inYear}`);
    if (y) terms.add(`${datePrefix}${y}_${inYear}`);
  };
  for (const [, y, m, d] of text.matchAll(iso)) add(y, Number(m), d);
  for (const [, y, m, d] of text.matchAll(chinese)) add(y, Number(m), d);
  for (const [, m, d, y] of text.matchAll(monthFirst)) add(y, monthOf(m), d);
  for (const [, d, m, y] of text.matchAll(dayFirst)) add(y, monthOf(m), d);
  return [...terms];
}

function monthOf(name = ''): number {
  return months.indexOf(name.slice(0, 3).toLowerCase()) + 1;
}
