import { shortDuration } from '../../../base/format.ts';
import type { StateKey } from '../../../parts/states.ts';
import { bottomOf } from './lanes.ts';
import type { Palette } from './palette.ts';
import type { Scene, SceneBar, SceneNotch } from './scene.ts';
import { drawShape } from './shapes.ts';

/** Where the parts of the timeline are, from top to bottom. */
export const places = { numbers: 15, rail: 22, shapes: 33, fan: 50, moments: 74, lanes: 78 };

const sans =
  '"Instrument Sans", "PingFang SC", "Microsoft YaHei UI", "Noto Sans SC", "Noto Sans CJK SC", sans-serif';
const faded = 0.42;

/** What of the scene is drawn: on small screens, the rail alone. */
interface Look {
  width: number;
  seq: number;
  /** Transitions before the first one: the numbers count them too. */
  forgotten: number;
  isDeep: boolean;
  palette: Palette;
}

export function drawTimeline(canvas: CanvasRenderingContext2D, scene: Scene, look: Look): void {
  if (look.isDeep) {
    drawFan(canvas, scene, look);
    drawAxis(canvas, scene, look);
    drawBars(canvas, scene, look);
    drawBreaks(canvas, scene, look);
    drawNeedle(canvas, scene, look);
  }
  drawRail(canvas, scene.notches, look);
}

export function heightOf({ lanes }: Pick<Scene, 'lanes'>, isDeep: boolean): number {
  return isDeep ? bottomOf(lanes) + 32 : places.fan;
}

function drawRail(canvas: CanvasRenderingContext2D, notches: readonly SceneNotch[], look: Look): void {
  const { width, seq, forgotten, palette } = look;
  const gap = (notches[1]?.x ?? width) - (notches[0]?.x ?? 0);
  const half = Math.min(7, gap * 0.36);
  canvas.strokeStyle = palette.ink2;
  canvas.lineWidth = 1.5;
  canvas.lineJoin = 'round';
  canvas.beginPath();
  canvas.moveTo(0, places.rail);
  for (const { x } of notches) {
    canvas.lineTo(x - half, places.rail);
    canvas.lineTo(x, places.rail + half + 0.5);
    canvas.lineTo(x + half, places.rail);
  }
  canvas.lineTo(width, places.rail);
  canvas.stroke();
  canvas.textAlign = 'center';
  const digits = String((notches.at(-1)?.seq ?? 1) + forgotten).length;
  const every = Math.max(1, Math.ceil((digits * 7 + 8) / gap));
  for (const { seq: one, x, key } of notches) {
    canvas.globalAlpha = one > seq ? 0.55 : 1;
    const { shape, fill } = palette.states[key];
    drawShape(canvas, shape, x - 3.5, places.shapes, 7 / 12, fill);
    canvas.globalAlpha = 1;
    const isNear = one !== seq && Math.abs(one - seq) * gap < digits * 7 + 10;
    if (one === seq) canvas.font = `700 11px ${sans}`;
    else if (isNear || one % every !== 0) continue;
    else canvas.font = `400 11px ${sans}`;
    canvas.fillStyle = one === seq ? palette.ink : palette.ink3;
    canvas.fillText(String(one + forgotten), x, one === seq ? 8 : places.numbers);
  }
}

function drawFan(canvas: CanvasRenderingContext2D, { notches, lanes }: Scene, { seq, palette }: Look): void {
  canvas.strokeStyle = palette.line;
  canvas.lineWidth = 1;
  canvas.beginPath();
  for (const notch of notches) if (notch.seq !== seq) trace(canvas, notch, bottomOf(lanes) + 6);
  canvas.stroke();
}

function drawNeedle(
  canvas: CanvasRenderingContext2D,
  { notches, lanes }: Scene,
  { seq, palette }: Look,
): void {
  const notch = notches.find((one) => one.seq === seq);
  if (!notch) return;
  canvas.strokeStyle = palette.ink;
  canvas.lineWidth = 1.5;
  canvas.beginPath();
  trace(canvas, notch, bottomOf(lanes) + 6);
  canvas.stroke();
}

function trace(canvas: CanvasRenderingContext2D, { x, timeX }: SceneNotch, bottom: number): void {
  canvas.moveTo(x, places.shapes + 10);
  canvas.lineTo(x, places.fan);
  canvas.lineTo(timeX, places.moments);
  canvas.lineTo(timeX, bottom);
}

function drawAxis(canvas: CanvasRenderingContext2D, { ticks, lanes }: Scene, { width, palette }: Look): void {
  const y = bottomOf(lanes) + 6;
  canvas.strokeStyle = palette.line2;
  canvas.lineWidth = 1;
  canvas.beginPath();
  canvas.moveTo(0, y + 0.5);
  canvas.lineTo(width, y + 0.5);
  for (const { x } of ticks) {
    canvas.moveTo(x, y);
    canvas.lineTo(x, y + 6);
  }
  canvas.stroke();
  canvas.font = `400 11px ${sans}`;
  canvas.fillStyle = palette.ink3;
  let free = Number.NEGATIVE_INFINITY;
  for (const { x, text } of ticks) {
    if (text === null) continue;
    const half = canvas.measureText(text).width / 2;
    if (x - half < free) continue;
    const shift = Math.max(half, Math.min(width - half, x));
    canvas.textAlign = 'center';
    canvas.fillText(text, shift, y + 19);
    free = shift + half + 8;
  }
}

function drawBars(canvas: CanvasRenderingContext2D, { bars }: Scene, { palette }: Look): void {
  canvas.textAlign = 'left';
  for (const bar of bars) {
    canvas.globalAlpha = bar.isReached ? 1 : faded;
    if (bar.span === null) drawStay(canvas, bar, palette);
    else drawSpan(canvas, bar, palette);
  }
  canvas.globalAlpha = 1;
}

function drawStay(
  canvas: CanvasRenderingContext2D,
  { key, x, top, width, height, text, isLeft }: SceneBar,
  palette: Palette,
) {
  // Waiting to ask again is a kind of thinking, in the same colour: only paler.
  const { fill, wash, text: ink } = palette.states[key];
  canvas.fillStyle = key === 'back' || isLeft || text !== '' ? wash : fill;
  canvas.fillRect(x, top, width, height);
  if (text === '') return;
  canvas.fillStyle = fill;
  canvas.fillRect(x, top, Math.min(3, width), height);
  drawWords(canvas, [text], { x, top, width, height, ink, size: 10 });
}

function drawSpan(canvas: CanvasRenderingContext2D, bar: SceneBar, palette: Palette): void {
  const { span, key, x, top, width, height, text, isFailed } = bar;
  const { fill, wash, text: ink } = palette.states[key as StateKey];
  canvas.fillStyle = wash;
  canvas.strokeStyle = fill;
  canvas.lineWidth = 1;
  canvas.setLineDash(isFailed ? [3, 2] : []);
  canvas.beginPath();
  canvas.roundRect(x + 0.5, top + 0.5, Math.max(2, width - 1), height - 1, 2);
  canvas.fill();
  canvas.stroke();
  canvas.setLineDash([]);
  canvas.fillStyle = fill;
  canvas.fillRect(x, top, 3, height);
  drawWords(canvas, [text, span?.label ?? ''], { x, top, width, height, ink, size: 11 });
}

/** The first words that fit into a bar; if none do, as much of the first ones as fits. */
function drawWords(
  canvas: CanvasRenderingContext2D,
  words: readonly [string, ...string[]],
  { x, top, width, height, ink, size }: WordsPlace,
): void {
  canvas.font = `550 ${size}px ${sans}`;
  canvas.fillStyle = ink;
  const room = width - 14;
  const fits = (text: string) => canvas.measureText(text).width <= room;
  const shown = words.find(fits) ?? shortened(canvas, words[0], room);
  if (shown !== '') canvas.fillText(shown, x + 9, top + height / 2 + size * 0.36);
}

interface WordsPlace {
  x: number;
  top: number;
  width: number;
  height: number;
  ink: string;
  size: number;
}

/** As much of a text as fits, if that says anything. */
function shortened(canvas: CanvasRenderingContext2D, text: string, room: number): string {
  if (room < 26) return '';
  for (let length = text.length - 1; length > 2; length--) {
    const cut = `${text.slice(0, length)}…`;
    if (canvas.measureText(cut).width <= room) return cut;
  }
  return '';
}

/** Where time is not to scale: two strokes through all lanes, and how much of it there is. */
function drawBreaks(canvas: CanvasRenderingContext2D, { breaks, lanes }: Scene, { palette }: Look): void {
  const bottom = bottomOf(lanes) + 6;
  for (const { x0, x1, ms } of breaks) {
    const middle = (x0 + x1) / 2;
    canvas.fillStyle = palette.panel;
    canvas.beginPath();
    const zigzag = (x: number, from: number, to: number, step: number) => {
      let side = 1;
      for (let y = from; step > 0 ? y <= to : y >= to; y += step) {
        canvas.lineTo(x + side * 2.5, y);
        side = -side;
      }
    };
    canvas.moveTo(middle - 4, places.moments);
    zigzag(middle - 4, places.moments, bottom, 7);
    zigzag(middle + 4, bottom, places.moments, -7);
    canvas.fill();
    canvas.strokeStyle = palette.line2;
    canvas.lineWidth = 1;
    for (const side of [-4, 4]) {
      canvas.beginPath();
      zigzag(middle + side, places.moments, bottom, 7);
      canvas.stroke();
    }
    const text = shortDuration(ms);
    canvas.font = `550 11px ${sans}`;
    canvas.textAlign = 'center';
    if (canvas.measureText(text).width > x1 - x0 + 12) continue;
    canvas.fillStyle = palette.ink2;
    canvas.fillText(text, middle, bottom + 19);
  }
}
