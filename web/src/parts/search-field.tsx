import { useEffect, useRef, useState } from 'preact/hooks';

/** A field that tells what was typed when the person pauses, so that not every letter is a request. */
export function SearchField({
  value,
  label,
  onSearch,
  delayMs = 200,
}: {
  value: string;
  label: string;
  onSearch(text: string): void;
  delayMs?: number;
}) {
  const [typed, type] = useState(value);
  const known = useRef(value);
  useEffect(() => {
    // Something else than this field chose another value: a link, or the button that clears all.
    if (value === known.current) return;
    known.current = value;
    type(value);
  }, [value]);
  useEffect(() => {
    if (typed === known.current) return;
    const timer = setTimeout(() => {
      known.current = typed.trim();
      onSearch(typed);
    }, delayMs);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <input
      class="field"
      type="search"
      placeholder={label}
      aria-label={label}
      value={typed}
      onInput={(event) => type(event.currentTarget.value)}
    />
  );
}
