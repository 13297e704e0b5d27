import fc from 'fast-check';

/** Zones with clocks of every kind: half hours, quarters, none, and none any more. */
const zoneNames = [
  'Europe/Berlin',
  'America/New_York',
  'Asia/Shanghai',
  'Australia/Lord_Howe',
  'America/Sao_Paulo',
  'Asia/Kathmandu',
  'Africa/Casablanca',
  'UTC',
] as const;

/** Ends of months and years, of February, and days before clocks change. */
const startDays = [
  '2026-03-07',
  '2026-03-28',
  '2026-04-04',
  '2026-10-03',
  '2026-10-24',
  '2026-10-31',
  '2018-02-17',
  '2018-11-03',
  '2028-02-27',
  '2026-12-30',
  '2027-02-26',
  '2099-12-30',
];

/** Clocks that are set forward or back on the day after. */
const changes = [
  ['Europe/Berlin', '2026-03-28'],
  ['Europe/Berlin', '2026-10-24'],
  ['America/New_York', '2026-03-07'],
  ['America/New_York', '2026-10-31'],
  ['Australia/Lord_Howe', '2026-04-04'],
  ['Australia/Lord_Howe', '2026-10-03'],
  ['America/Sao_Paulo', '2018-02-17'],
  ['America/Sao_Paulo', '2018-11-03'],
] as const;

/** A zone and the start of a day in UTC: mostly one before a change of the clock there. */
export const place = fc
  .oneof(
    { weight: 2, arbitrary: fc.constantFrom(...changes) },
    { weight: 1, arbitrary: fc.tuple(fc.constantFrom(...zoneNames), fc.constantFrom(...startDays)) },
  )
  .map(([timeZone, day]) => ({ timeZone, start: Date.parse(`${day}T00:00:00Z`) }));

interface FieldShape {
  min: number;
  max: number;
  names?: readonly string[];
}

/** One field as text. */
export function field({ min, max, names }: FieldShape, { mayWrap = false } = {}): fc.Arbitrary<string> {
  const value = fc.integer({ min, max });
  const range = fc
    .tuple(value, value)
    .map(([a, b]) => (mayWrap ? `${a}-${b}` : `${Math.min(a, b)}-${Math.max(a, b)}`));
  const step = fc.integer({ min: 2, max: Math.min(max, 30) });
  const entry = fc.oneof(
    { weight: 5, arbitrary: value.map(String) },
    { weight: 2, arbitrary: range },
    { weight: 1, arbitrary: fc.tuple(range, step).map(([base, by]) => `${base}/${by}`) },
    ...(names === undefined ? [] : [{ weight: 2, arbitrary: fc.constantFrom(...names) }]),
    { weight: 1, arbitrary: fc.tuple(value, step).map(([from, by]) => `${from}/${by}`) },
  );
  return fc.oneof(
    { weight: 4, arbitrary: fc.constant('*') },
    { weight: 2, arbitrary: step.map((by) => `*/${by}`) },
    {
      weight: 6,
      arbitrary: fc.array(entry, { minLength: 1, maxLength: 3 }).map((entries) => entries.join(',')),
    },
  );
}
