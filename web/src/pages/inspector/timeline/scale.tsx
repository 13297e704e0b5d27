import { type ReadonlySignal, useComputed, useSignal, useSignalEffect } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { language } from '../../../base/language.ts';
import type { Inspected } from '../../../data/inspected.ts';
import { eventWords, pathsAt } from '../../../data/run-trace.ts';
import { shownPath } from '../../../parts/states.ts';
import type { Figures } from '../figures.ts';
import { t } from '../words.ts';
import { drawTimeline, heightOf, places } from './draw.ts';
import { type Lane, lanesOf, rowsOf } from './lanes.ts';
import { type NotchWindow, notchesAround, notchesIn, notchX, seqAt } from './notches.ts';
import { Overview } from './overview.tsx';
import { barAt, type Scene, sceneOf } from './scene.ts';
import { prepared, useNow, useSurroundings } from './use-look.ts';

interface ScaleProps {
  run: Inspected;
  figures: ReadonlySignal<Figures | null>;
  /** Ends the play. */
  stop: () => void;
}

/**
 * The rail with its ball, and the lanes below it, drawn on a canvas: moving the ball renders nothing anew. Of a long run the rail has the
 * notches around the ball, and an overview above it has the whole run.
 */
export function Scale({ run, figures, stop }: ScaleProps) {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const ball = useRef<HTMLSpanElement>(null);
  const drawn = useRef<Scene | null>(null);
  const shown = useSignal<NotchWindow | null>(null);
  const movedAt = useRef(0);
  const { width, palette, isDeep } = useSurroundings(box);
  const now = useNow(useComputed(() => run.trace.value?.ended === false));
  const lanes = useComputed(() => {
    const trace = run.trace.value;
    if (!trace) return null;
    const rows = rowsOf(trace.spans);
    return { rows, lanes: lanesOf(trace, rows, places.lanes) };
  });
  const isLong = useComputed(() => (run.trace.value?.transitions.length ?? 0) > notchesIn(width.value));

  useSignalEffect(() => {
    const [trace, known, laid, colours] = [run.trace.value, figures.value, lanes.value, palette.value];
    const [seq, wide, deep, forgotten] = [run.seq.value, width.value, isDeep.value, run.forgotten.value];
    // The words on the canvas follow the language.
    void language.value;
    if (!trace || !known || !laid || !colours || !canvas.current || !ball.current || wide === 0) return;
    const { transitions, ended } = trace;
    const notches = notchesAround(transitions.length, seq, notchesIn(wide), shown.peek());
    const last = transitions.at(-1)?.at ?? 0;
    const until = ended || known.isLeft ? last : Math.max(now.value, last);
    const scene = sceneOf({ trace, keys: known.keys, seq, notches, width: wide, until, ...laid });
    drawn.current = scene;
    shown.value = notches;
    const context = prepared(canvas.current, wide, heightOf(scene, deep));
    if (context)
      drawTimeline(context, scene, { width: wide, seq, forgotten, isDeep: deep, palette: colours });
    const at = performance.now();
    // Who scrubs wants the ball under the finger; who steps sees it fall into the next notch.
    ball.current.style.transition = at - movedAt.current < 150 ? 'none' : '';
    movedAt.current = at;
    ball.current.dataset.s = known.keys[seq - 1] ?? 'idle';
    ball.current.style.transform = `translateX(${notchX(seq, notches, wide)}px)`;
  });

  /** Shows the notch at a place of the canvas, or what lies there below the rail. */
  function show(event: PointerEvent, isDrag: boolean): void {
    const [scene, notches] = [drawn.current, shown.peek()];
    const area = canvas.current?.getBoundingClientRect();
    if (!scene || !notches || !area) return;
    const [x, y] = [event.clientX - area.left, event.clientY - area.top];
    stop();
    if (isDrag || y < places.fan) run.show(seqAt(x, notches, width.peek()));
    else {
      const bar = barAt(scene, x, y);
      if (bar) run.show(bar.seq);
    }
  }

  function hover(event: PointerEvent): void {
    const area = canvas.current?.getBoundingClientRect();
    if (!drawn.current || !area || !canvas.current) return;
    const bar = barAt(drawn.current, event.clientX - area.left, event.clientY - area.top);
    canvas.current.title = bar?.text ?? '';
    canvas.current.style.cursor = bar || event.clientY - area.top < places.fan ? 'pointer' : '';
  }

  const height = lanes.value === null ? 0 : heightOf(lanes.value, isDeep.value);
  return (
    <div class={isLong.value ? 'scale long' : 'scale'} ref={box}>
      <Slider run={run} stop={stop} />
      {isLong.value && <Overview run={run} figures={figures} palette={palette} width={width} shown={shown} />}
      <div class="rail-box" style={{ height: `${height}px` }}>
        <canvas
          ref={canvas}
          onPointerDown={(event) => {
            if (event.offsetY < places.fan) event.currentTarget.setPointerCapture(event.pointerId);
            show(event, false);
          }}
          onPointerMove={(event) =>
            event.currentTarget.hasPointerCapture(event.pointerId) ? show(event, true) : hover(event)
          }
        />
        <span class="knob" ref={ball} aria-hidden="true">
          <i />
        </span>
        {isDeep.value && lanes.value?.lanes.map((lane) => <LaneName key={lane.name} lane={lane} />)}
      </div>
    </div>
  );
}

/** The slider itself, for the keyboard, for screen readers and for fingers. It is not seen: its ball is drawn. */
function Slider({ run, stop }: { run: Inspected; stop: () => void }) {
  const trace = run.trace.value;
  if (!trace) return null;
  const of = trace.transitions.length;
  const seq = run.seq.value;
  const forgotten = run.forgotten.value;
  const paths = pathsAt(trace, seq).map(shownPath).join(', ');
  const now = run.transition.value;
  return (
    <input
      type="range"
      min={1}
      max={Math.max(1, of)}
      value={seq}
      aria-label={t.slider}
      aria-valuetext={t.moment(seq + forgotten, of + forgotten, now ? eventWords(now) : '', paths)}
      onInput={({ currentTarget: { valueAsNumber } }) => {
        stop();
        run.show(valueAsNumber >= of ? null : valueAsNumber);
      }}
    />
  );
}

function LaneName({ lane: { name, top, rows, rowHeight } }: { lane: Lane }) {
  const words = { state: t.state, model: t.model, tools: t.tools, people: t.people, host: t.host };
  return (
    <span class="lane" style={{ top: `${top + (rows * rowHeight) / 2 - 8}px` }}>
      {words[name]}
    </span>
  );
}
