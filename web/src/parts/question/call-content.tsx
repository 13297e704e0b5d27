import { useState } from 'preact/hooks';
import type { PendingView } from '#src/protocol/views.ts';
import { Diff } from '../diff.tsx';
import { isUnifiedDiff } from '../diff-rows.ts';
import { JsonView } from '../json-view.tsx';
import { visible } from '../visible.ts';
import { askedInWords } from './call-title.ts';
import { t } from './words.ts';

/** What a call would do: the change that its tool foretells, or its exact arguments; the person may see both. */
export function CallContent({ question }: { question: PendingView }) {
  const { preview, arguments: args } = question;
  const [isRaw, showRaw] = useState(false);
  const words = question.asIs ? askedInWords(question.why).more : null;
  if (preview === undefined)
    return (
      <>
        {words !== null && <p class="ask-words-plain">{words}</p>}
        <Arguments args={args} />
      </>
    );
  return (
    <div class="ask-content">
      {isRaw ? <Arguments args={args} /> : <Preview text={preview} />}
      <button type="button" class="btn small ghost" onClick={() => showRaw(!isRaw)}>
        {isRaw ? t.showPreview : t.showArguments}
      </button>
    </div>
  );
}

function Preview({ text }: { text: string }) {
  if (isUnifiedDiff(text)) return <Diff text={text} label={t.exactChange} />;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
    <section class="diff ask-words" tabIndex={0} aria-label={t.whatItSays}>
      {visible(text)}
    </section>
  );
}

function Arguments({ args }: { args: unknown }) {
  const isEmpty =
    args === '' ||
    args === null ||
    (typeof args === 'object' && args !== null && Object.keys(args).length === 0);
  return isEmpty ? <p class="dim">{t.noArguments}</p> : <JsonView value={args} label={t.exactArguments} />;
}
