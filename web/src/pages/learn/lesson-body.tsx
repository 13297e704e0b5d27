import { CopyButton } from '../../parts/copy-button.tsx';
import { Markdown } from '../../parts/markdown/markdown.tsx';
import { partsOf, type Step } from './lesson-text.ts';

/** A part of a lesson: its text, and its commands. */
export function LessonBody({ markdown }: { markdown: string }) {
  return (
    <>
      {partsOf(markdown).map((part, at) =>
        typeof part === 'string' ? <Markdown key={at} text={part} /> : <Steps key={at} steps={part} />,
      )}
    </>
  );
}

function Steps({ steps }: { steps: readonly Step[] }) {
  return (
    <div class="steps panel">
      {steps.map(({ command, output }) => (
        <div key={command}>
          <p>
            <code>{command}</code>
            <CopyButton text={command} />
          </p>
          {output !== '' && (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by the keyboard.
            <pre tabIndex={0}>{output}</pre>
          )}
        </div>
      ))}
    </div>
  );
}
