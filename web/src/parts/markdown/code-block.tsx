import { CopyButton } from '../copy-button.tsx';
import { visibleProse } from '../visible.ts';

/** Code as it is written, with its language and a button that copies it: also what hides, since a person is about to run it. */
export function CodeBlock({ text, language }: { text: string; language: string | undefined }) {
  return (
    <div class="md-code">
      <p>
        <span class="dim">{visibleProse(language?.slice(0, 40) ?? '')}</span>
        <CopyButton text={text} />
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by the keyboard. */}
      <pre tabIndex={0}>
        <code>{visibleProse(text)}</code>
      </pre>
    </div>
  );
}
