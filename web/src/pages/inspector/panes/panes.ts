import { signal } from '@preact/signals';
import { kept } from '../../../base/kept.ts';

const paneNames = ['table', 'readout', 'timeline'] as const;

export type PaneName = (typeof paneNames)[number];

/** Widths, and the height of the timeline, in pixels. */
const sizes: Readonly<Record<PaneName, { min: number; max: number; usual: number }>> = {
  table: { min: 150, max: 520, usual: 230 },
  readout: { min: 220, max: 640, usual: 300 },
  timeline: { min: 66, max: 420, usual: 420 },
};

/** A pane beside the chart, as this person keeps it in this browser. */
export class Pane {
  readonly name: PaneName;
  readonly limits: (typeof sizes)[PaneName];
  readonly size = signal(0);
  readonly isFolded = signal(false);

  constructor(name: PaneName) {
    this.name = name;
    this.limits = sizes[name];
    const [size = '', folded] = (kept.get(`pane.${name}`) ?? '').split(' ');
    this.size.value = this.#within(Number(size) || this.limits.usual);
    this.isFolded.value = folded === 'folded';
  }

  resize(size: number): void {
    this.size.value = this.#within(size);
    this.isFolded.value = false;
    this.#keep();
  }

  fold(isFolded: boolean): void {
    this.isFolded.value = isFolded;
    this.#keep();
  }

  #within(size: number): number {
    return Math.round(Math.min(this.limits.max, Math.max(this.limits.min, size)));
  }

  #keep(): void {
    kept.set(`pane.${this.name}`, `${this.size.value}${this.isFolded.value ? ' folded' : ''}`);
  }
}

export const panes: readonly Pane[] = paneNames.map((name) => new Pane(name));

/** The chart has the whole page, until the same key is pressed again. */
export const isChartAlone = signal(false);
