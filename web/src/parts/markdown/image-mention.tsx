import { useState } from 'preact/hooks';
import { safeUrl } from './blocks.ts';
import { t } from './words.ts';

/** An image of a text. Loading it would tell its server that the text was read, so nothing is loaded without a click. */
export function ImageMention({ href, alt }: { href: string; alt: string }) {
  const [isAsked, ask] = useState(false);
  const url = safeUrl(href);
  const isRemote = url !== null && url.protocol !== 'mailto:';
  return (
    <span class="md-image">
      <span>{t.image(alt)}</span>
      {!isRemote && <span class="dim">{t.noImage}</span>}
      {isRemote && <span class="dim mono">{url.host}</span>}
      {isRemote && !isAsked && (
        <button type="button" class="btn small" onClick={() => ask(true)}>
          {t.loadImage}
        </button>
      )}
      {isRemote && isAsked && (
        <span>
          {t.loadsNothing}{' '}
          <a class="link" href={url.href} target="_blank" rel="noopener noreferrer">
            {t.openAt(url.host)}
          </a>
        </span>
      )}
    </span>
  );
}
