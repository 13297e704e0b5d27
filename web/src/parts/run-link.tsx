import type { ComponentChildren } from 'preact';
import { href, runPath } from '../base/place.ts';
import { isCustomer } from '../data/connection.ts';

interface RunLinkProps {
  runId: string;
  /** The step that it opens. */
  seq?: number;
  class?: string;
  title?: string | undefined;
  children: ComponentChildren;
}

/** A link to a run in the inspector; its bare words for a customer, to whom no inspector opens. */
export function RunLink({ runId, seq, children, ...link }: RunLinkProps) {
  if (isCustomer()) return <span>{children}</span>;
  return (
    <a {...link} href={href(seq === undefined ? runPath(runId) : `${runPath(runId)}?seq=${seq}`)}>
      {children}
    </a>
  );
}
