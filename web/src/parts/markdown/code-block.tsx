import { useEffect, useState } from 'preact/hooks';
import { CopyButton } from '../copy-button.tsx';
import { visibleProse } from '../visible.ts';
import type { CodePiece } from './code-colours.ts';

/** Code as it is written, with its language and a button that copies it: also what hides, since a person is about to run it. */
export function CodeBlock({ text, language }: { text: string; language: string | undefined }) {
  const shown = visibleProse(text);
  return (
    <div class="md-code">
      <p>
        <span class="dim">{visibleProse(language?.slice(0, 40) ?? '')}</span>
        <CopyButton text={text} />
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by the keyboard. */}
      <pre tabIndex={0}>
        <code>
          {usePieces(shown, language)?.map(({ text, kind }) => (kind ? <i class={kind}>{text}</i> : text)) ??
            shown}
        </code>
      </pre>
    </div>
  );
}

/** Code that grows is coloured when it rests. */
const restMs = 150;

function usePieces(code: string, language = ''): readonly CodePiece[] | null {
  const [made, keep] = useState<{ code: string; pieces: readonly CodePiece[] | null } | null>(null);
  useEffect(() => {
    if (language === '') return;
    const timer = setTimeout(async () => {
      const { coloured } = await import('./code-colours.ts');
      keep({ code, pieces: coloured(code, language) });
    }, restMs);
    return () => clearTimeout(timer);
  }, [code, language]);
  return made?.code === code ? made.pieces : null;
}
