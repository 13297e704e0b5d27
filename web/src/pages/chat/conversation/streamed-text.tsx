import { useEffect, useReducer, useRef } from 'preact/hooks';
import { isMotionReduced } from '../../../base/theme.ts';
import { Markdown } from '../../../parts/markdown/markdown.tsx';
import { Pace, wholeCharacters, wholeWords } from './pace.ts';

/** An answer: as a whole, or as it comes. */
export function StreamedText({ text, isWhole }: { text: string; isWhole: boolean }) {
  const pace = useRef<Pace | null>(null);
  const shown = useRef(0);
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  if (!isWhole && pace.current === null) pace.current = new Pace(text.length, performance.now());
  const now = performance.now();
  pace.current?.arrive(text.length, now);
  const isReduced = isMotionReduced();
  const { may, must } =
    isReduced || !pace.current ? { may: text.length, must: text.length } : pace.current.at(now);
  const isBehind = !isReduced && (pace.current?.isBehind ?? false);
  useEffect(() => {
    if (!isBehind) return;
    const frame = requestAnimationFrame(() => redraw(undefined));
    return () => cancelAnimationFrame(frame);
  });
  const isStreaming = !isWhole || isBehind;
  if (!isStreaming) return <Markdown text={text} />;
  const length = isReduced ? wholeBlocks(text) : Math.max(wholeWords(text, may), wholeCharacters(text, must));
  // What was read is not taken away because a word turned out to be longer.
  shown.current = Math.max(Math.min(shown.current, text.length), length);
  return <Markdown text={text.slice(0, shown.current)} isGrowing end={<span class="caret" />} />;
}

/** Without motion, text comes a block at a time. */
function wholeBlocks(text: string): number {
  return text.lastIndexOf('\n\n') + 1;
}
