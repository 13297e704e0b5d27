const names =
  /(?<![A-Z])(?:JAN(?:UARY)?|FEB(?:RUARY)?|MAR(?:CH)?|APR(?:IL)?|MAY|JUNE?|JULY?|AUG(?:UST)?|SEP(?:T(?:EMBER)?)?|OCT(?:OBER)?|NOV(?:EMBER)?|DEC(?:EMBER)?|SUN(?:DAY)?|MON(?:DAY)?|TUE(?:S(?:DAY)?)?|WED(?:NESDAY)?|THU(?:R(?:S(?:DAY)?)?)?|FRI(?:DAY)?|SAT(?:URDAY)?)(?=L?(?![A-Z]))/g;

/**
 * The dialect of an expression that comes without one: Quartz with `?`, `L`, `W`, `#` or seven fields, else unix. The
 * letters of names (`JUL`, `WED`, `@daily`) are no marks; that of `FRIL`, the last Friday, is one.
 */
export function dialectOf(expression: string): 'unix' | 'quartz' {
  const text = expression.trim().toUpperCase();
  if (text.startsWith('@')) return 'unix';
  const hasMark = /[?LW#]/.test(text.replace(names, ''));
  return hasMark || text.split(/\s+/).length === 7 ? 'quartz' : 'unix';
}
