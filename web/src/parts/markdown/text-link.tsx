import type { ComponentChildren } from 'preact';
import { visible } from '../visible.ts';
import { namedHosts, safeUrl } from './blocks.ts';

interface TextLinkProps {
  href: string;
  /** As it is written in the text. */
  raw: string;
  words: string;
  children: ComponentChildren;
}

/** A link of a text that a model or a tool wrote: it says where it leads when its words name another place. */
export function TextLink({ href, raw, words, children }: TextLinkProps) {
  const url = safeUrl(href);
  if (url === null) return <>{raw}</>;
  const host = url.protocol === 'mailto:' ? url.pathname : url.host;
  const pretends =
    url.username !== '' || visible(words) !== words || namedHosts(words).some((named) => !isSame(named, url));
  return (
    <>
      <a class="link" href={url.href} target="_blank" rel="noopener noreferrer" title={url.href}>
        {children}
      </a>
      {pretends && <span class="md-host"> ({host})</span>}
    </>
  );
}

function isSame(named: string, url: URL): boolean {
  if (url.protocol === 'mailto:') return url.pathname.toLowerCase().endsWith(named);
  const bare = (host: string) => host.replace(/^www\./, '');
  return bare(named) === bare(url.hostname);
}
