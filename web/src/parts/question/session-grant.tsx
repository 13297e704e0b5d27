import { useId } from 'preact/hooks';
import { type GrantPattern, grantInWords } from './grant-pattern.ts';
import { t } from './words.ts';

interface SessionGrantProps {
  name: string;
  pattern: GrantPattern;
  isOn: boolean;
  choose(isOn: boolean): void;
}

/** Whether later calls like this one run without asking, and exactly which ones those are. */
export function SessionGrant({ name, pattern, isOn, choose }: SessionGrantProps) {
  const id = useId();
  return (
    <>
      <label class="scope">
        <input
          type="checkbox"
          checked={isOn}
          aria-describedby={id}
          onChange={(event) => choose(event.currentTarget.checked)}
        />{' '}
        {t.session}
      </label>
      <p id={id} class="scope-words" hidden={!isOn}>
        {t.sessionCovers} <span class="mono">{grantInWords(name, pattern)}</span>
      </p>
    </>
  );
}
