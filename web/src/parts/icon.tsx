interface IconProps {
  /** Of its square, in pixels: the coordinates of the path. */
  size: number;
  path: string;
  strokeWidth?: number;
}

/** A sign of lines on a button that says in words what it does. */
export function Icon({ size, path, strokeWidth = 1.5 }: IconProps) {
  return (
    <svg
      width={size}
      height={size}
      viewBox={`0 0 ${size} ${size}`}
      fill="none"
      stroke="currentColor"
      stroke-width={strokeWidth}
      aria-hidden="true"
    >
      <path d={path} />
    </svg>
  );
}
