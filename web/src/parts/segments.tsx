interface SegmentsProps<Value extends string> {
  options: readonly (readonly [value: Value, words: string])[];
  chosen: Value;
  choose(value: Value): void;
}

/** Buttons of which one is pressed, in the row that they share. */
export function Segments<Value extends string>({ options, chosen, choose }: SegmentsProps<Value>) {
  return options.map(([value, words]) => (
    <button key={value} type="button" aria-pressed={value === chosen} onClick={() => choose(value)}>
      {words}
    </button>
  ));
}

interface NamedSegmentsProps<Value extends string> extends SegmentsProps<Value> {
  /** What they choose, for screen readers. */
  label: string;
  class?: string;
}

/** The same with a row, and a name that is not seen. */
export function NamedSegments<Value extends string>({ label, ...props }: NamedSegmentsProps<Value>) {
  return (
    <fieldset class={`seg ${props.class ?? ''}`.trim()}>
      <legend class="sr">{label}</legend>
      <Segments options={props.options} chosen={props.chosen} choose={props.choose} />
    </fieldset>
  );
}
