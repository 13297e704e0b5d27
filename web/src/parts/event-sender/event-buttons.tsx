import type { LegalCommand } from '../../data/answers.ts';
import { mayTalk } from '../../data/connection.ts';
import { visible } from '../visible.ts';
import { t } from './words.ts';

interface EventButtonsProps {
  events: readonly LegalCommand[];
  /** The one whose form is open. */
  open: string | null;
  choose(type: string | null): void;
}

/** The events that a workflow takes now, each with the guard that decides: its button opens the form that sends it, or closes that. */
export function EventButtons({ events, open, choose }: EventButtonsProps) {
  return events.map(({ type, guard }) => (
    <button
      key={type}
      type="button"
      class="btn small"
      disabled={!mayTalk()}
      aria-expanded={open === type}
      onClick={() => choose(open === type ? null : type)}
    >
      <code>{visible(type)}</code>
      {guard !== undefined && <span class="dim"> {t.onlyIf(visible(guard))}</span>}
    </button>
  ));
}
