import { HtmlLayout } from './html-layout.ts';

interface PageText {
  title: string;
  text: string;
  /** Whether the parser stopped before the end because the page nests too deeply. */
  isCut: boolean;
}

/** Real pages stay below 100. The cost of each tag grows with the depth, so a page of nested tags only would hang. */
const maxDepth = 1000;
const pieceChars = 64 * 1024;

/**
 * The text of an HTML page in the manner of Markdown: headings, lists, links, tables row by row. Scripts, styles, the
 * machinery of forms and what the page hides are left out.
 *
 * The parser takes the page in pieces, and yields to the event loop between them.
 *
 * @param base the base of relative links.
 */
export async function htmlText(html: string, base: URL, signal: AbortSignal): Promise<PageText> {
  const { Parser } = await import('htmlparser2');
  const layout = new HtmlLayout(base);
  let depth = 0;
  const parser = new Parser({
    onopentag(name, attributes) {
      depth += 1;
      // Throw out of the parser in the middle of a piece, because one piece can hold thousands of tags.
      if (depth > maxDepth) throw new TooDeep();
      layout.open(name, attributes);
    },
    ontext: (text) => layout.text(text),
    onclosetag(name) {
      depth -= 1;
      layout.close(name);
    },
  });
  try {
    for (let at = 0; at < html.length; at += pieceChars) {
      signal.throwIfAborted();
      parser.write(html.slice(at, at + pieceChars));
      await pause();
    }
    parser.end();
  } catch (error) {
    if (!(error instanceof TooDeep)) throw error;
  }
  return { ...layout.end(), isCut: depth > maxDepth };
}

class TooDeep extends Error {}

function pause(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
