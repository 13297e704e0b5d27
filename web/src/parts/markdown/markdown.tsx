import './markdown.css';
import { Component, type ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { type Block, blocksOf, type GrowingText, grow, noText } from './blocks.ts';
import { drawBlock } from './draw.tsx';

/**
 * A text in Markdown as vnodes. No part of it can become markup: HTML is shown as it is written, links lead to the web alone, and images
 * are not loaded.
 */
export function Markdown({
  text,
  isGrowing = false,
  end,
}: {
  text: string;
  isGrowing?: boolean;
  end?: ComponentChildren;
}) {
  const grown = useRef<GrowingText>(noText);
  const whole = useRef<{ text: string; blocks: readonly Block[] } | null>(null);
  let blocks: readonly Block[];
  if (isGrowing) {
    grown.current = grow(grown.current, text);
    blocks = [...grown.current.finished, ...grown.current.open];
  } else {
    if (whole.current?.text !== text) whole.current = { text, blocks: blocksOf(text) };
    blocks = whole.current.blocks;
  }
  const shown = blocks.filter(({ token }) => token?.type !== 'space' && token?.type !== 'def');
  const last = shown.length - 1;
  return (
    <div class="md" dir="auto">
      {shown.map((block, at) => (
        <BlockView key={at} block={block} end={at === last ? end : undefined} />
      ))}
      {last < 0 && end}
    </div>
  );
}

/** A block that is drawn once. */
class BlockView extends Component<{ block: Block; end: ComponentChildren }> {
  override shouldComponentUpdate({ block, end }: { block: Block; end: ComponentChildren }): boolean {
    return block.raw !== this.props.block.raw || end !== undefined || this.props.end !== undefined;
  }

  override render({ block, end }: { block: Block; end: ComponentChildren }) {
    return drawBlock(block, end);
  }
}
