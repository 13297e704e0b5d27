/** A number; what is none goes to the gateway as it is, which says so: `null` would mean that there is no bound. */
export function numberOf(text: string): number | null {
  if (text.trim() === '') return null;
  const number = Number(text);
  return Number.isNaN(number) ? (text as never) : number;
}

/** `90` are milliseconds, as the gateway reads a number; every other text is its own affair. */
export function spanOf(text: string): string | number {
  const trimmed = text.trim();
  return /^\d+$/.test(trimmed) ? Number(trimmed) : trimmed;
}

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of a time such as `1h30m`; a text that is none goes to the gateway as it is, which says so. */
export function msOf(text: string): number | string {
  const trimmed = text.trim();
  if (/^\d+$/.test(trimmed)) return Number(trimmed);
  if (!/^(?:\d+[smhd])+$/.test(trimmed)) return trimmed;
  let ms = 0;
  for (const [, n, unit = 's'] of trimmed.matchAll(/(\d+)([smhd])/g)) ms += Number(n) * (unitMs[unit] ?? 0);
  return ms;
}

/** Milliseconds since the epoch; a text that is no moment goes to the gateway as it is, which says so. */
export function momentOf(local: string): number | string {
  const ms = new Date(local).getTime();
  return Number.isNaN(ms) ? local : ms;
}

/** A moment as `<input type=datetime-local>` has it. */
export function localMoment(ms: number): string {
  const offset = new Date(ms).getTimezoneOffset() * 60_000;
  return new Date(ms - offset).toISOString().slice(0, new Date(ms).getSeconds() === 0 ? 16 : 19);
}
