import { may } from '../../data/connection.ts';
import { visible } from '../visible.ts';

interface EventButtonsProps {
  types: readonly string[];
  /** The one whose form is open. */
  open: string | null;
  choose(type: string | null): void;
}

/** The events that a workflow takes now: each button opens the form that sends it, or closes that. */
export function EventButtons({ types, open, choose }: EventButtonsProps) {
  return types.map((type) => (
    <button
      key={type}
      type="button"
      class="btn small"
      disabled={!may('write')}
      aria-expanded={open === type}
      onClick={() => choose(open === type ? null : type)}
    >
      <code>{visible(type)}</code>
    </button>
  ));
}
