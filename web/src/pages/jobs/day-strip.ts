/** Where the times of the coming day lie on a line, and where their labels fit. */

export const stripWidth = 1_176;
const [hour, day] = [3_600_000, 86_400_000];

/** The half of a notch; times nearer than two of them share one. */
const notch = 9;
const laneHeight = 20;
const nowWidth = 52;
/** A job that is due more often has a notch for its next time alone, and marks for the others. */
const often = 8;

export interface DayJob {
  jobId: string;
  /** Its times of the coming day, in their order. */
  times: readonly number[];
  /** Whether these are all of them. */
  isWhole: boolean;
}

interface Notch {
  x: number;
  /** The jobs that are due there, each with its time. */
  due: { jobId: string; at: number }[];
  /** Whether one of them is due there for the first time. */
  isNext: boolean;
}

export interface Label {
  jobId: string;
  at: number;
  x: number;
  /** 0 lies nearest to the line. */
  lane: number;
  /** Which side of its stem it is on. */
  side: 'right' | 'left';
}

export interface DayStrip {
  notches: Notch[];
  labels: Label[];
  /** Times of jobs that are due often. */
  marks: number[];
  lanes: number;
  /** Where the present time stands. */
  nowLane: number;
}

function xOf(at: number, now: number): number {
  return (stripWidth * (at - now)) / day;
}

/** @param nameOf the text of a label, to know how wide it is. */
export function dayStrip(jobs: readonly DayJob[], now: number, nameOf: (label: DayJob) => string): DayStrip {
  const soon = jobs
    .map((job) => ({ ...job, times: job.times.filter((at) => at >= now && at < now + day) }))
    .filter(({ times }) => times.length > 0);
  const marks = soon
    .filter(({ times, isWhole }) => isWhole && times.length > often)
    .flatMap(({ times }) => times.slice(1).map((at) => xOf(at, now)));
  const due = soon
    .flatMap(({ jobId, times }) => {
      const shown = times.length > often ? times.slice(0, 1) : times;
      return shown.map((at, index) => ({ jobId, at, isNext: index === 0 }));
    })
    .sort((a, b) => a.at - b.at);
  const notches: Notch[] = [];
  for (const { jobId, at, isNext } of due) {
    const x = Math.min(stripWidth - notch, Math.max(notch, xOf(at, now)));
    const last = notches.at(-1);
    if (last && x - last.x < 2 * notch) {
      last.due.push({ jobId, at });
      last.isNext ||= isNext;
    } else notches.push({ x, due: [{ jobId, at }], isNext });
  }
  const labels = placed(soon, notches, nameOf);
  const nowLane = laneOfNow(labels);
  const lanes = Math.max(nowLane + 1, ...labels.map(({ lane }) => lane + 1));
  return { notches, labels, marks, lanes, nowLane };
}

const maxLanes = 5;

interface Box {
  lane: number;
  from: number;
  to: number;
}

/**
 * A label for the first time of each job, where it collides with nothing; a job whose label fits nowhere has its notch alone. From right
 * to left, so that a stem never meets the labels that were placed before: they begin at the right of it.
 */
function placed(
  jobs: readonly DayJob[],
  notches: readonly Notch[],
  nameOf: (job: DayJob) => string,
): Label[] {
  const boxes: Box[] = [];
  const labels: Label[] = [];
  for (const job of jobs.toSorted((a, b) => (b.times[0] ?? 0) - (a.times[0] ?? 0))) {
    const [at = 0] = job.times;
    const found = notches.find(({ due }) => due.some((one) => one.jobId === job.jobId && one.at === at));
    if (!found) continue;
    const place = freePlace(found.x, textWidth(nameOf(job)) + 12, boxes, labels);
    if (place === null) continue;
    boxes.push(place.box);
    labels.push({ jobId: job.jobId, at, x: found.x, lane: place.box.lane, side: place.side });
  }
  return labels.reverse();
}

function freePlace(x: number, width: number, boxes: readonly Box[], stems: readonly Label[]) {
  for (let lane = 0; lane < maxLanes; lane++)
    for (const side of ['right', 'left'] as const) {
      const { from, to } = span(x, width, side);
      if (from < 0 || to > stripWidth) continue;
      const isFree = boxes.every((box) => box.lane !== lane || box.to < from || box.from > to);
      const isCrossed = stems.some((stem) => stem.lane > lane && stem.x > from && stem.x < to);
      const crosses = boxes.some((box) => box.lane < lane && x > box.from && x < box.to);
      if (isFree && !isCrossed && !crosses) return { box: { lane, from, to }, side };
    }
  return null;
}

/** The lane of the present time at the left end: above whatever is there. */
function laneOfNow(labels: readonly Label[]): number {
  const near = labels.filter(({ x, side }) => x < nowWidth + (side === 'left' ? stripWidth / 4 : 0));
  return Math.max(1, ...near.map(({ lane }) => lane + 1));
}

function span(x: number, width: number, side: Label['side']) {
  return side === 'right' ? { from: x, to: x + width } : { from: x - width, to: x };
}

/** About how wide a text is at 12.5 px. */
export function textWidth(text: string): number {
  let width = 0;
  for (const sign of text) width += /[ᄀ-￯]/.test(sign) ? 12.8 : 7;
  return width;
}

/** The line with its notches. */
export function linePath(notches: readonly Notch[], y: number): string {
  const dips = notches.map(({ x }) => `H${x - notch}L${x} ${y + notch}L${x + notch} ${y}`);
  return `M0 ${y}${dips.join('')}H${stripWidth}`;
}

/** The full hours of the reader's clock. Every third one has its number, unless it would leave the line. */
export function hourTicks(now: number): { x: number; at: number; hour: number; isLabelled: boolean }[] {
  const first = new Date(now);
  first.setMinutes(60, 0, 0);
  return Array.from({ length: 24 }, (_, index) => {
    const at = first.getTime() + index * hour;
    const x = xOf(at, now);
    const ofDay = new Date(at).getHours();
    return { x, at, hour: ofDay, isLabelled: ofDay % 3 === 0 && x > 20 && x < stripWidth - 20 };
  }).filter(({ x }) => x <= stripWidth);
}

/** The height above the line that lanes of labels take. */
export function heightOfLanes(lanes: number): number {
  return 26 + lanes * laneHeight;
}

/** Where the text of a lane stands. */
export function baseline(lane: number, y: number): number {
  return y - 24 - lane * laneHeight;
}
