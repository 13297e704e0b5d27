import type { Token, Tokens } from 'marked';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { visible, visibleProse } from '../visible.ts';
import { type Block, namedHosts, safeUrl, withoutEntities } from './blocks.ts';
import { CodeBlock } from './code-block.tsx';
import { Formula } from './formula.tsx';
import type { MathToken } from './math-marks.ts';
import { t } from './words.ts';

/** Quotes and lists within each other; what is deeper is shown as it is written. */
const maxDepth = 12;
/** A cell of a table with no more letters is not broken. */
const maxWhole = 16;

/** Draws a block. `end` follows its last word, as a caret does. */
export function drawBlock({ raw, token }: Block, end?: ComponentChildren): ComponentChildren {
  if (token === null)
    return (
      <pre class="md-plain">
        {raw}
        {end}
      </pre>
    );
  return block(token, 0, end);
}

function block(token: Token, depth: number, end?: ComponentChildren): ComponentChildren {
  if (depth > maxDepth) return <p>{token.raw}</p>;
  switch (token.type) {
    case 'heading':
      // One level below the page's title, whatever the model counts from.
      return (
        <h2 class={`md-h md-h${(token as Tokens.Heading).depth}`}>
          {inline((token as Tokens.Heading).tokens, depth)}
          {end}
        </h2>
      );
    case 'code':
      return [<CodeBlock text={token.text} language={token.lang} />, end];
    case 'math':
      return [<Formula token={token as MathToken} />, end];
    case 'hr':
      return [<hr />, end];
    case 'blockquote':
      return <blockquote>{blocks(token.tokens, depth + 1, end)}</blockquote>;
    case 'list':
      return list(token as Tokens.List, depth, end);
    case 'table':
      return [table(token as Tokens.Table, depth), end];
    case 'html':
      return (
        <p>
          {token.raw.trimEnd()}
          {end}
        </p>
      );
    case 'space':
    case 'def':
      return null;
    default:
      return (
        <p>
          {plain(token, depth)}
          {end}
        </p>
      );
  }
}

function blocks(tokens: readonly Token[] = [], depth: number, end?: ComponentChildren): ComponentChildren {
  const shown = tokens.filter(({ type }) => type !== 'space');
  return shown.map((token, at) => block(token, depth, at === shown.length - 1 ? end : undefined));
}

function list({ ordered, start, items, loose }: Tokens.List, depth: number, end?: ComponentChildren) {
  const drawn = items.map((item, at) => (
    <li class={item.task ? 'md-task' : undefined}>
      {item.task && (
        <input type="checkbox" checked={item.checked === true} disabled aria-label={taskWords(item)} />
      )}
      {loose
        ? blocks(withoutBox(item), depth + 1, at === items.length - 1 ? end : undefined)
        : tight(item, depth, at === items.length - 1 ? end : undefined)}
    </li>
  ));
  return ordered ? <ol start={Number(start) || 1}>{drawn}</ol> : <ul>{drawn}</ul>;
}

/** The tokens of an item without that of its box. */
function withoutBox({ tokens }: Tokens.ListItem): Token[] {
  return tokens.filter(({ type }) => type !== 'checkbox');
}

function taskWords({ text }: Tokens.ListItem): string {
  return text.slice(0, 80);
}

function tight(item: Tokens.ListItem, depth: number, end?: ComponentChildren): ComponentChildren {
  const tokens = withoutBox(item);
  return tokens.map((token, at) => {
    const own = at === tokens.length - 1 ? end : undefined;
    if (token.type !== 'text') return block(token, depth + 1, own);
    return [plain(token, depth), own];
  });
}

function table({ header, rows, align }: Tokens.Table, depth: number) {
  const cell = (at: number, text: string) =>
    [
      align[at] === 'right' ? 'num' : align[at] === 'center' ? 'md-mid' : '',
      text.length <= maxWhole ? 'short' : '',
    ].join(' ');
  const label = `${t.table}: ${header.map(({ text }) => text).join(', ')}`;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by the keyboard.
    <section class="md-table" tabIndex={0} aria-label={label}>
      <table>
        <thead>
          <tr>
            {header.map(({ tokens, text }, at) => (
              <th scope="col" class={cell(at, text)}>
                {inline(tokens, depth)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>
              {row.map(({ tokens, text }, at) => (
                <td class={cell(at, text)}>{inline(tokens, depth)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function inline(tokens: readonly Token[] = [], depth: number): ComponentChildren {
  return tokens.map((token) => mark(token, depth + 1));
}

function mark(token: Token, depth: number): ComponentChildren {
  if (depth > maxDepth) return token.raw;
  switch (token.type) {
    case 'strong':
      return <strong>{inline(token.tokens, depth)}</strong>;
    case 'em':
      return <em>{inline(token.tokens, depth)}</em>;
    case 'del':
      return <del>{inline(token.tokens, depth)}</del>;
    case 'codespan':
      return <code>{visibleProse(token.text)}</code>;
    case 'math':
      return <Formula token={token as MathToken} />;
    case 'br':
      return <br />;
    case 'link': {
      const { href, tokens, raw } = token as Tokens.Link;
      return (
        <TextLink href={href} raw={raw} words={token.text}>
          {inline(tokens.map(inLink), depth)}
        </TextLink>
      );
    }
    case 'image':
      return <ImageMention href={(token as Tokens.Image).href} alt={token.text} />;
    case 'html':
      return token.raw;
    case 'escape':
      return token.text;
    default:
      return plain(token, depth);
  }
}

/** An image of a link is its words: the button that asks for an image would open the link. */
function inLink(token: Token): Token {
  if (token.type === 'image') return { type: 'text', raw: token.raw, text: t.image(token.text) };
  return 'tokens' in token && token.tokens ? { ...token, tokens: token.tokens.map(inLink) } : token;
}

function plain(token: Token, depth: number): ComponentChildren {
  if ('tokens' in token && token.tokens) return inline(token.tokens, depth);
  return withoutEntities('text' in token && typeof token.text === 'string' ? token.text : token.raw);
}

/** An image of a text. Loading it would tell its server that the text was read, so nothing is loaded without a click. */
function ImageMention({ href, alt }: { href: string; alt: string }) {
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

interface TextLinkProps {
  href: string;
  /** As it is written in the text. */
  raw: string;
  words: string;
  children: ComponentChildren;
}

/** A link of a text that a model or a tool wrote: it says where it leads when its words name another place. */
function TextLink({ href, raw, words, children }: TextLinkProps) {
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
