/** A lesson of `docs/learn`, in the parts that the page draws. */
interface LessonText {
  /** Markdown before and after the picture. */
  before: string;
  after: string;
  /** What the picture shows, in words. */
  alt: string;
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
