import type { ComponentChildren } from 'preact';

interface HeadlineProps {
  title: string;
  about: ComponentChildren;
  /** At its end: what searches or changes all that the page shows. */
  children?: ComponentChildren;
}

/** The head of a page. */
export function Headline({ title, about, children }: HeadlineProps) {
  return (
    <header class="headline">
      <div>
        <h1>{title}</h1>
        <p>{about}</p>
      </div>
      {children !== undefined && <div class="right">{children}</div>}
    </header>
  );
}
