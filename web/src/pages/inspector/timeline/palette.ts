import { shapePaths } from '../../../parts/shape-paths.ts';
import { type StateKey, stateKeys } from '../../../parts/states.ts';
import type { CanvasShape } from './shapes.ts';

/** The colours of the tokens and the shapes of states, as a canvas takes them. */
export interface Palette {
  ink: string;
  ink2: string;
  ink3: string;
  line: string;
  line2: string;
  panel: string;
  well: string;
  blue: string;
  states: Readonly<Record<StateKey, { fill: string; text: string; wash: string; shape: CanvasShape }>>;
}

/** Reads the tokens as they are in the present theme: a canvas knows no variables. */
export function readPalette(within: HTMLElement): Palette {
  const probe = within.appendChild(document.createElement('i'));
  probe.hidden = true;
  const read = (token: string) => {
    probe.style.color = `var(${token})`;
    return getComputedStyle(probe).color;
  };
  const states = stateKeys.map((key) => {
    probe.dataset.s = key;
    const shape = shapePaths[key].map(({ d, stroke }) => ({ path: new Path2D(d), stroke }));
    return [key, { fill: read('--c'), text: read('--c-t'), wash: read('--c-w'), shape }] as const;
  });
  const palette = {
    ink: read('--ink'),
    ink2: read('--ink-2'),
    ink3: read('--ink-3'),
    line: read('--line'),
    line2: read('--line-2'),
    panel: read('--panel'),
    well: read('--well'),
    blue: read('--blue'),
    states: Object.fromEntries(states) as unknown as Palette['states'],
  };
  probe.remove();
  return palette;
}
