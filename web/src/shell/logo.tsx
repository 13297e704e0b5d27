/** The mark of Detent: a ball in a notch. */
export function Logo({ width, height }: { width: number; height: number }) {
  return (
    <svg width={width} height={height} viewBox="0 0 34 26" fill="none" aria-hidden="true">
      <path d="M1 13h8l8 9 8-9h8" stroke="currentColor" stroke-width="2.6" stroke-linejoin="round" />
      <circle cx="17" cy="9" r="6.2" fill="var(--blue)" />
    </svg>
  );
}
