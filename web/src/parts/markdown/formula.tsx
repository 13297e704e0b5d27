import { h } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { MathToken } from './math-marks.ts';

type DrawMath = typeof import('./draw-math.ts').drawMath;

let loaded: DrawMath | null = null;

/** A formula. Its code is loaded with the first one; until then, and where it is no TeX, it stands as it is written. */
export function Formula({ token: { raw, text, isDisplayed } }: { token: MathToken }) {
  const [draw, got] = useState<DrawMath | null>(() => loaded);
  useEffect(() => {
    if (draw !== null) return;
    import('./draw-math.ts').then(
      ({ drawMath }) => {
        loaded = drawMath;
        got(() => drawMath);
      },
      () => {},
    );
  }, []);
  const drawn = useMemo(() => draw?.(text, isDisplayed, h) ?? null, [draw, text, isDisplayed]);
  if (drawn === null) return <>{raw.trimEnd()}</>;
  return (
    <span class={isDisplayed ? 'md-math displayed' : 'md-math'}>
      {/* What a selection takes along: glyphs without their places would mean something else. */}
      <span class="source" aria-hidden="true">
        {raw.trimEnd()}
      </span>
      {drawn}
    </span>
  );
}
