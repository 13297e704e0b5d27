import { lineAsTyped } from '../../base/command.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Markdown } from '../../parts/markdown/markdown.tsx';
import { partsOf, type Step } from './lesson-text.ts';

/** A part of a lesson: its text, and its commands as they are typed at this gateway. */
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
      {steps.map(({ command, output }) => {
        const typed = lineAsTyped(command);
        return (
          <div key={command}>
            <p>
              <code>{typed}</code>
              <CopyButton text={typed} />
            </p>
            {output !== '' && (
              // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by the keyboard.
              <pre tabIndex={0}>{output}</pre>
            )}
          </div>
        );
      })}
    </div>
  );
}
