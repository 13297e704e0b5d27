/** A lesson of `docs/learn`, in the parts that the page draws. */
interface LessonText {
  /** Markdown before and after the picture. */
  before: string;
  after: string;
  /** What the picture shows, in words. */
  alt: string;
}

/** A command of a lesson for a shell, and what it says. */
export interface Step {
  command: string;
  output: string;
}

/** A chart of Detent's own, drawn into a document by `scripts/draw-statechart.ts`. */
interface DrawnChart {
  /** As the gateway knows it. */
  machine: string;
}

const drawings = /^<!-- drawn: (\w+) -->\n[\s\S]*?^<!-- \/drawn -->$/gm;

/** A document in its parts: texts, and the charts that are drawn in it. */
export function chartsIn(markdown: string): (string | DrawnChart)[] {
  return markdown
    .split(drawings)
    .map((part, at) => (at % 2 === 0 ? part : { machine: part === 'statechart' ? 'run' : part }));
}

/** What the fragment of an address calls a section. */
export function fragmentOf(title: string): string {
  return `#${title
    .toLowerCase()
    .replace(/[^\w -]/g, '')
    .replace(/ /g, '-')}`;
}

const consoles = /^```console\n([\s\S]*?)^```$/gm;

/** Markdown in its parts: texts, and the commands of each session in a shell. */
export function partsOf(markdown: string): (string | Step[])[] {
  return markdown.split(consoles).map((part, at) => (at % 2 === 0 ? part : stepsOf(part)));
}

function stepsOf(session: string): Step[] {
  const [, ...steps] = session.split(/^\$ /m);
  return steps.map((step) => {
    const [command = '', ...output] = step.trimEnd().split('\n');
    return { command, output: output.join('\n') };
  });
}

/** Splits the Markdown of a lesson at its picture. The title and the way to other lessons are the page's own. */
export function lessonText(markdown: string, addressOf: AddressOf): LessonText {
  const [head = '', alt = '', tail = ''] = markdown.split(/^!\[([^\]]*)\]\([^)]*\)$/m);
  const body = (part: string) => documentText(part.replace(/^(?:Before|Next): \[.*$/m, ''), addressOf);
  return { before: body(head), after: body(tail), alt };
}

/** Where the page shows a document of `docs`, or of no name the very one, or a section of it (`#…`, or nothing); null for one that it does not have. */
type AddressOf = (name: string, section: string) => string | null;

/** A document without its title, with links that lead to where the page shows others. The names of those that it lacks stand in place of links. */
export function documentText(markdown: string, addressOf: AddressOf): string {
  return markdown
    .replace(/^# .*$/m, '')
    .replace(/(^```[\s\S]*?^```$)|^<!--.*-->$/gm, (_, code = '') => code)
    .replace(
      /\[([^\]]*)\]\((?!https?:|#)(?:\.\.\/)?([\w/.-]+)(#[\w-]*)?\)/g,
      (_, words: string, file: string, section = '') => {
        const address = file.endsWith('.md') ? addressOf(file.slice(0, -3), section) : null;
        return address === null ? `${words} (\`docs/${file}\`)` : `[${words}](${address})`;
      },
    )
    .replace(/\[([^\]]*)\]\((#[\w-]*)\)/g, (_, words: string, section: string) => {
      const address = addressOf('', section);
      return address === null ? words : `[${words}](${address})`;
    })
    .trim();
}
