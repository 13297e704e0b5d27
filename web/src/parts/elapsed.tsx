import { useEffect, useState } from 'preact/hooks';
import { duration } from '../base/format.ts';
import { isOffline } from '../data/connection.ts';

/** The time since then, counting. */
export function Elapsed({ since }: { since: number }) {
  const [now, tick] = useState(Date.now());
  useEffect(() => {
    // What is not known any more does not go on.
    const timer = setInterval(() => isOffline.peek() || tick(Date.now()), 100);
    return () => clearInterval(timer);
  }, []);
  return <span class="ms">{duration(Math.max(0, now - since))}</span>;
}
