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
export function lessonText(markdown: string): LessonText {
  const [head = '', alt = '', tail = ''] = markdown.split(/^!\[([^\]]*)\]\([^)]*\)$/m);
  return { before: body(head), after: body(tail), alt };
}

function body(markdown: string): string {
  return markdown
    .replace(/^# .*$/m, '')
    .replace(/^(?:Before|Next): \[.*$/m, '')
    .replace(/\[([^\]]*)\]\(\.\.\/([\w-]+\.md)(?:#[\w-]*)?\)/g, named)
    .trim();
}

/** The gateway does not serve the other documents: their names stand in place of links. */
function named(_: string, words: string, file: string): string {
  return `${words} (\`docs/${file}\`)`;
}
