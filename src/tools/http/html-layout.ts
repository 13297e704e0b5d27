type Attributes = Readonly<Record<string, string>>;

const dropped = words(
  'script style noscript template svg math canvas object iframe audio video select datalist head',
);
/** Void elements: they have no content and no end tag. */
const empty = words('area base br col embed hr img input link meta param source track wbr');
const paragraphs = words(
  'p blockquote pre ul ol dl table figure form h1 h2 h3 h4 h5 h6 article section header footer nav main aside address',
);
const lines = words('div li tr dt dd caption figcaption legend summary details fieldset option label');
const cells = words('td th');
const titled = words('title');
const heading = /^h([1-6])$/;

interface List {
  ordered: boolean;
  count: number;
}

/** Lays out the tags and texts of a page as plain text. Tolerates tags that are never closed or never opened. */
export class HtmlLayout {
  readonly #base: URL;
  readonly #done: string[] = [];
  readonly #lists: List[] = [];
  readonly #links: { href: string | null; from: number }[] = [];
  /** The current line, in parts: reading the end of one growing string costs as much as copying it. */
  #line: string[] = [];
  #isSpaceLast = false;
  #title = '';
  /** Line breaks that are due before the next text. */
  #breaks = 0;
  /** The tag whose content is dropped, and the depth of open tags of the same name in it. */
  #drop: { name: string; depth: number } | null = null;
  #pre = 0;
  #inTitle = false;
  #isRowStart = false;

  constructor(base: URL) {
    this.#base = base;
  }

  open(name: string, attributes: Attributes): void {
    if (titled.has(name)) this.#inTitle = this.#drop === null || this.#drop.name === 'head';
    if (this.#drop) {
      if (this.#drop.name === name) this.#drop.depth += 1;
      return;
    }
    if (empty.has(name)) this.#openEmpty(name, attributes);
    else if (dropped.has(name) || isHidden(attributes)) this.#drop = { name, depth: 1 };
    else this.#openBlock(name, attributes);
  }

  text(text: string): void {
    if (this.#inTitle) this.#title += text;
    else if (this.#drop) return;
    else if (this.#pre > 0) this.#addRaw(text);
    else this.#add(text.replaceAll(/[ \t\n\r\f]+/g, ' '));
  }

  close(name: string): void {
    if (titled.has(name)) this.#inTitle = false;
    if (this.#drop) {
      if (this.#drop.name === name && --this.#drop.depth === 0) this.#drop = null;
      return;
    }
    if (name === 'a') this.#closeLink();
    if (name === 'pre' && this.#pre > 0) {
      this.#pre -= 1;
      this.#breakLine(1);
      this.#add('```');
    }
    if (name === 'ul' || name === 'ol') this.#lists.pop();
    if (paragraphs.has(name)) this.#breakLine(this.#lists.length > 0 ? 1 : 2);
    else if (lines.has(name)) this.#breakLine(1);
  }

  end(): { title: string; text: string } {
    this.#endLine();
    const text = this.#done.join('\n').replaceAll(/\n{3,}/g, '\n\n');
    return { title: this.#title.replaceAll(/\s+/g, ' ').trim(), text: text.trim() };
  }

  #openEmpty(name: string, attributes: Attributes): void {
    if (name === 'br') this.#pre > 0 ? this.#addRaw('\n') : this.#breakLine(1);
    else if (name === 'hr') {
      this.#breakLine(2);
      this.#add('---');
      this.#breakLine(2);
    } else if (name === 'img' && attributes.alt?.trim()) this.#add(`[image: ${attributes.alt.trim()}]`);
  }

  #openBlock(name: string, attributes: Attributes): void {
    if (paragraphs.has(name)) this.#breakLine(this.#lists.length > 0 ? 1 : 2);
    else if (lines.has(name)) this.#breakLine(1);
    if (name === 'ul' || name === 'ol') this.#lists.push({ ordered: name === 'ol', count: 0 });
    else if (name === 'li') this.#openItem();
    else if (name === 'tr') this.#isRowStart = true;
    else if (cells.has(name)) {
      if (!this.#isRowStart) this.#add(' | ');
      this.#isRowStart = false;
    } else if (name === 'a')
      this.#links.push({ href: this.#resolved(attributes.href), from: this.#line.length });
    else if (name === 'pre') {
      this.#add('```');
      this.#breakLine(1);
      this.#pre += 1;
    } else {
      const level = heading.exec(name)?.[1];
      if (level) this.#add(`${'#'.repeat(Number(level))} `);
    }
  }

  #openItem(): void {
    const list = this.#lists.at(-1);
    if (list) list.count += 1;
    const indent = '  '.repeat(Math.min(Math.max(this.#lists.length - 1, 0), 8));
    this.#add(`${indent}${list?.ordered ? `${list.count}.` : '-'} `);
  }

  #closeLink(): void {
    const link = this.#links.pop();
    if (!link?.href) return;
    // The text of a link over several lines is that of the last line.
    const text = this.#line.splice(link.from).join('');
    const named = text.trim() === '' ? text : `${/^\s/.test(text) ? ' ' : ''}[${text.trim()}](${link.href})`;
    this.#push(named);
  }

  #resolved(href: string | undefined): string | null {
    if (!href || href.startsWith('#')) return null;
    const url = URL.parse(href, this.#base.href);
    return url && ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url.href : null;
  }

  #add(text: string): void {
    if (this.#breaks > 0 && text.trim() === '') return;
    this.#flushBreaks();
    if (this.#line.length === 0 && text === ' ') return;
    this.#push(this.#isSpaceLast && text.startsWith(' ') ? text.slice(1) : text);
  }

  #addRaw(text: string): void {
    this.#flushBreaks();
    const [first = '', ...rest] = text.split(/\r?\n/);
    this.#push(first);
    for (const line of rest) {
      this.#endLine();
      this.#push(line);
    }
  }

  #push(text: string): void {
    if (text === '') return;
    this.#line.push(text);
    this.#isSpaceLast = text.endsWith(' ');
  }

  /** @param count 1 ends the line, 2 leaves an empty one. */
  #breakLine(count: number): void {
    this.#breaks = Math.max(this.#breaks, count);
  }

  #flushBreaks(): void {
    if (this.#breaks === 0) return;
    if (this.#line.length > 0) this.#endLine();
    if (this.#breaks > 1 && this.#done.length > 0) this.#done.push('');
    this.#breaks = 0;
  }

  #endLine(): void {
    this.#done.push(this.#line.join('').trimEnd());
    this.#line = [];
    this.#isSpaceLast = false;
    for (const link of this.#links) link.from = 0;
  }
}

function isHidden({ hidden, style = '', 'aria-hidden': aria }: Attributes): boolean {
  return hidden !== undefined || aria === 'true' || /display\s*:\s*none|visibility\s*:\s*hidden/i.test(style);
}

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(' '));
}
