/** A fence is `epoch * fenceSpan`, plus the number of take-overs within the epoch. */
export const fenceSpan = 1_000_000;
