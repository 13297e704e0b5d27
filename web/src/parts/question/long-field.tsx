import { useId } from 'preact/hooks';

interface LongFieldProps {
  label: string;
  maxLength: number;
  value: string;
  write(value: string): void;
}

/** Words of a person that go with a decision. */
export function LongField({ label, maxLength, value, write }: LongFieldProps) {
  const id = useId();
  return (
    <>
      <label class="label" for={id}>
        {label}
      </label>
      <textarea
        class="field"
        id={id}
        rows={2}
        maxLength={maxLength}
        value={value}
        onInput={(event) => write(event.currentTarget.value)}
      />
    </>
  );
}
