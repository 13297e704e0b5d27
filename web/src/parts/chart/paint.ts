import type { Drawing, DrawnEdge, DrawnState } from './drawing.ts';
import { type ChartMarks, litStates, noMarks } from './marks.ts';

/** What an edge is drawn of, besides its line. */
interface EdgeParts {
  edge: DrawnEdge;
  group: Element;
  label: Element;
  pill: Element;
  count: Element;
}

interface StateParts {
  state: DrawnState;
  group: Element;
  duration: Element | null;
  heat: Element | null;
}

/**
 * Shows marks on a chart that is drawn. It touches the classes and attributes of what differs from the last time, and nothing else: the
 * page neither renders the drawing again nor lays it out.
 */
export class Painter {
  readonly #states: StateParts[];
  readonly #edges: EdgeParts[];
  readonly #shortDuration: (ms: number) => string;
  /** Null until all edges have their labels in place. */
  #shown: ChartMarks | null = null;
  readonly #texts = new TextWidths();

  constructor(svg: Element, { states, edges }: Drawing, shortDuration: (ms: number) => string) {
    this.#shortDuration = shortDuration;
    const groups = new Map(
      [...svg.querySelectorAll('g[data-id]')].map((g) => [g.getAttribute('data-id'), g]),
    );
    this.#states = states.flatMap((state) => {
      const group = groups.get(state.id);
      if (!group) return [];
      return [{ state, group, duration: group.querySelector('.dur'), heat: group.querySelector('.heat') }];
    });
    this.#edges = edges.flatMap((edge) => {
      const group = groups.get(edge.id);
      const [label, pill, count] = ['.lbl', '.n', '.n text'].map((one) => group?.querySelector(one));
      return group && label && pill && count ? [{ edge, group, label, pill, count }] : [];
    });
  }

  /** Measures the letters of labels again: when their font has come. */
  measure(): void {
    this.#texts.forget();
    const marks = this.#shown;
    this.#shown = null;
    this.show(marks ?? noMarks);
  }

  show(marks: ChartMarks): void {
    const isFirst = this.#shown === null;
    const before = this.#shown ?? noMarks;
    this.#shown = marks;
    this.#showStates(marks);
    const isLast = new Set(marks.last);
    const wasLast = new Set(before.last);
    for (const parts of this.#edges) {
      const { id } = parts.edge;
      const isSame =
        before.taken.get(id) === marks.taken.get(id) &&
        before.labels.get(id) === marks.labels.get(id) &&
        wasLast.has(id) === isLast.has(id) &&
        !(isLast.has(id) && before.key !== marks.key);
      if (isFirst || !isSame) showEdge(parts, marks, isLast.has(id), this.#texts);
    }
  }

  #showStates({ lit, key, durations }: ChartMarks): void {
    const on = litStates(lit);
    const longest = Math.max(1, ...durations.values());
    for (const { state, group, duration, heat } of this.#states) {
      const isOn = on.has(state.id);
      if (group.classList.contains('on') !== isOn) group.classList.toggle('on', isOn);
      // A state that only groups others, and one of a person's own chart, has no colour of its own.
      set(group, 'data-s', state.key === 'decide' && isOn ? key : state.key);
      const ms = durations.get(state.id) ?? 0;
      if (duration) {
        const text = ms > 0 ? this.#shortDuration(ms) : '';
        setText(duration, text.length * durationLetter > roomFor(state) ? '' : text);
      }
      if (heat) set(heat, 'width', ms > 0 ? String(heatWidth(state, ms / longest)) : '0');
    }
  }
}

/** Sizes of letters in pixels, about. */
const titleLetter = 6.6;
const durationLetter = 5.6;

/** How much room the duration has behind the title. */
function roomFor({ width, title }: DrawnState): number {
  return width - 40 - titleLetter * Math.max(...title.map((line) => line.length));
}

function heatWidth({ width }: DrawnState, share: number): number {
  return Math.round(Math.max(4, (width - 2) * share) * 10) / 10;
}

/** How wide labels are. Each text is measured once, so that moving through a run does not make the browser lay the page out. */
class TextWidths {
  readonly #known = new Map<string, number>();

  forget(): void {
    this.#known.clear();
  }

  /** @param isBold whether the label is set so, which makes it wider */
  of(label: Element, text: string, isBold: boolean): number {
    const key = `${isBold} ${text}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    setText(label, text);
    const width = (label as SVGTextElement).getComputedTextLength();
    this.#known.set(key, width);
    return width;
  }

  /** The text, or as much of it as has room. */
  fitted(label: Element, text: string, isBold: boolean, room: number): string {
    const width = this.of(label, text, isBold);
    if (width <= room) return text;
    const letters = Math.floor((room / width) * text.length) - 2;
    return `${text.slice(0, Math.max(1, letters))}…`;
  }
}

function showEdge(
  { edge, group, label, pill, count }: EdgeParts,
  marks: ChartMarks,
  isLast: boolean,
  texts: TextWidths,
): void {
  const times = marks.taken.get(edge.id) ?? 0;
  const digits = times === 0 ? 0 : String(times).length;
  const pillWidth = digits === 0 ? 0 : 9 + digits * 7;
  const words = (times > 0 && marks.labels.get(edge.id)) || edge.label.text;
  group.classList.toggle('taken', times > 0);
  group.classList.toggle('last', isLast);
  const text = texts.fitted(label, words, isLast, edge.label.width - pillWidth - 2);
  // The width grows with the logarithm: an edge that was taken a thousand times must not cover the others.
  (group as SVGElement).style.setProperty('--n', String(Math.min(4, Math.log2(times + 1)).toFixed(2)));
  set(group, 'data-s', isLast ? marks.key : '');
  setText(label, text);
  setText(count, String(times));
  const width = texts.of(label, text, isLast);
  const whole = width + (times === 0 ? 0 : pillWidth + 4);
  const begin = edge.label.x + (edge.label.endsAtLine ? edge.label.width - whole : 0);
  set(label, 'x', String(Math.round(begin * 10) / 10));
  if (times === 0) return;
  const x = begin + width + 4;
  set(pill, 'transform', `translate(${Math.round(x * 10) / 10} ${edge.label.y - 11.5})`);
  const rect = pill.querySelector('rect');
  if (rect) set(rect, 'width', String(pillWidth));
  set(count, 'x', String(pillWidth / 2));
}

function set(element: Element, name: string, value: string): void {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}
