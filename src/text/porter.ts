/**
 * The stemmer of M. F. Porter, "An algorithm for suffix stripping", Program 14(3), 1980, with the two departures of his
 * own later version (`bli` and `logi` in step 2): https://tartarus.org/martin/PorterStemmer/
 *
 * @module
 */

const consonant = '[^aeiou]';
const vowel = '[aeiouy]';
const consonants = `${consonant}[^aeiouy]*`;
const vowels = `${vowel}[aeiou]*`;

/** `m`, the count of vowel-consonant pairs, is over 0, is 1, is over 1. */
const over0 = new RegExp(`^(${consonants})?${vowels}${consonants}`);
const exactly1 = new RegExp(`^(${consonants})?${vowels}${consonants}(${vowels})?$`);
const over1 = new RegExp(`^(${consonants})?${vowels}${consonants}${vowels}${consonants}`);
const hasVowel = new RegExp(`^(${consonants})?${vowel}`);
const consonantVowelConsonant = new RegExp(`^${consonants}${vowel}[^aeiouwxy]$`);

type Suffixes = readonly (readonly [suffix: string, instead: string])[];

const step2: Suffixes = [
  ['ational', 'ate'],
  ['ization', 'ize'],
  ['iveness', 'ive'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['tional', 'tion'],
  ['biliti', 'ble'],
  ['entli', 'ent'],
  ['ousli', 'ous'],
  ['ation', 'ate'],
  ['alism', 'al'],
  ['aliti', 'al'],
  ['iviti', 'ive'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['izer', 'ize'],
  ['alli', 'al'],
  ['ator', 'ate'],
  ['logi', 'log'],
  ['bli', 'ble'],
  ['eli', 'e'],
];
const step3: Suffixes = [
  ['icate', 'ic'],
  ['ative', ''],
  ['alize', 'al'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ness', ''],
  ['ful', ''],
];
const step4 =
  /^(.+?)(ement|ance|ence|able|ible|ment|ant|ent|ism|ate|iti|ous|ive|ize|al|er|ic|ou|(?<=[st])ion)$/;

/** The stem of an English word. @param word lower case, letters of ASCII only. */
export function stem(word: string): string {
  if (word.length < 3) return word;
  // A y that begins a word is a consonant.
  const isY = word.startsWith('y');
  let w = isY ? `Y${word.slice(1)}` : word;
  w = plurals(w);
  w = pastForms(w);
  if (w.endsWith('y') && hasVowel.test(w.slice(0, -1))) w = `${w.slice(0, -1)}i`;
  w = replaced(replaced(w, step2), step3);
  const last = step4.exec(w);
  if (last?.[1] !== undefined && over1.test(last[1])) w = last[1];
  if (w.endsWith('e')) {
    const base = w.slice(0, -1);
    if (over1.test(base) || (exactly1.test(base) && !consonantVowelConsonant.test(base))) w = base;
  }
  if (w.endsWith('ll') && over1.test(w.slice(0, -1))) w = w.slice(0, -1);
  return isY ? `y${w.slice(1)}` : w;
}

function plurals(w: string): string {
  if (w.endsWith('sses') || w.endsWith('ies')) return w.slice(0, -2);
  return w.endsWith('s') && !w.endsWith('ss') ? w.slice(0, -1) : w;
}

function pastForms(w: string): string {
  if (w.endsWith('eed')) return over0.test(w.slice(0, -3)) ? w.slice(0, -1) : w;
  const base = w.endsWith('ed') ? w.slice(0, -2) : w.endsWith('ing') ? w.slice(0, -3) : null;
  if (base === null || !hasVowel.test(base)) return w;
  if (/(at|bl|iz)$/.test(base)) return `${base}e`;
  if (/([^aeiouylsz])\1$/.test(base)) return base.slice(0, -1);
  return consonantVowelConsonant.test(base) ? `${base}e` : base;
}

function replaced(w: string, suffixes: Suffixes): string {
  for (const [suffix, instead] of suffixes) {
    if (!w.endsWith(suffix)) continue;
    const base = w.slice(0, -suffix.length);
    return over0.test(base) ? base + instead : w;
  }
  return w;
}
