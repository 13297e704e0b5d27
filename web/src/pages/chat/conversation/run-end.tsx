import { parseJson } from '#src/protocol/json.ts';
import { duration, money } from '../../../base/format.ts';
import { isCustomer } from '../../../data/connection.ts';
import type { Content, Entry } from '../../../data/conversation/entries.ts';
import { CopyButton } from '../../../parts/copy-button.tsx';
import { JsonView } from '../../../parts/json-view.tsx';
import { late } from '../../../parts/late.tsx';
import { RunLink } from '../../../parts/run-link.tsx';
import { errorInWords } from '../../../parts/why/finding.ts';
import { t } from '../words.ts';
import { TryAgain } from './edit-message.tsx';
import { outcomeText } from './outcome-words.ts';
import { Rate } from './rate.tsx';

/** Why, and what to do, come with the first run that failed: most do not. */
const WhyFailed = late(async () => (await import('./why-failed.tsx')).WhyFailed);

type Ended = Extract<Content, { type: 'ended' }>;

/** How a run ended; of one that failed, why, and what to do. */
export function RunEnd({ entry, ended }: { entry: Entry; ended: Ended }) {
  const { status, outcome, error, text } = ended;
  if (status === 'done')
    return (
      <>
        {/* A workflow is done, and its output is JSON; an agent has said its last words above. */}
        {outcome === 'done' && text !== '' && <JsonView value={parseJson(text) ?? text} label={t.result} />}
        {outcome !== 'completed' && outcome !== 'done' && <p class="quiet">{outcomeText(outcome)}</p>}
        <Cost entry={entry} ended={ended} />
      </>
    );
  return (
    <>
      <p class="ended">
        <b>{outcomeText(outcome)}</b> {error && <span class="mid">{errorInWords(error)}</span>}
      </p>
      {status === 'failed' && !isCustomer() && <WhyFailed runId={entry.runId} />}
      <Cost entry={entry} ended={ended} />
    </>
  );
}

/** What the answer cost, and what can be done with it. */
function Cost({ entry, ended: { status, text, total, ms } }: { entry: Entry; ended: Ended }) {
  const { runId, content } = entry;
  const isTakeover = content.some(({ type }) => type === 'held');
  return (
    <div class="cost">
      {total && <span>{t.tokens(total.inputTokens + total.outputTokens)}</span>}
      {total && total.costUsd !== null && <span>{money(total.costUsd)}</span>}
      {ms !== null && <span>{t.inAll(duration(ms))}</span>}
      {text !== '' && <CopyButton text={text} />}
      {status === 'done' && !entry.isOfChart && (isTakeover || text !== '') && <Rate runId={runId} />}
      {!entry.isOfChart && !isTakeover && <TryAgain runId={runId} />}
      {!isCustomer() && <RunLink runId={runId}>{t.inspect}</RunLink>}
    </div>
  );
}
