import { isScalar, parseDocument, visit } from 'yaml';
import { messageOf } from '../protocol/error.ts';

/** What frontmatter says, every scalar as the text that stands there: `1.0` is not 1. */
export interface Frontmatter {
  fields: Readonly<Record<string, unknown>>;
  warnings: readonly string[];
  /** Set when it is no YAML that could be read. */
  error: string | null;
}

/** So many uses of anchors are taken; more is a bomb. */
const maxAliasCount = 100;

/**
 * Reads frontmatter in safe mode: YAML 1.2 without types and without tags that do anything. Where a text has a colon that
 * wants quotes, which other clients let pass, it is read once more with them.
 *
 * @see https://agentskills.io/client-implementation/adding-skills-support
 */
export function yamlFrontmatter(yaml: string): Frontmatter {
  const read = readYaml(yaml);
  if (read.error === null) return read;
  const quoted = withQuotes(yaml);
  const again = quoted === yaml ? read : readYaml(quoted);
  if (again.error !== null) return read;
  return { ...again, warnings: ['the frontmatter is no valid YAML: a text needs quotes', ...again.warnings] };
}

function readYaml(yaml: string): Frontmatter {
  const document = parseDocument(yaml, {
    version: '1.2',
    schema: 'failsafe',
    uniqueKeys: true,
    prettyErrors: false,
    logLevel: 'silent',
  });
  const [problem] = document.errors;
  if (problem) return failed(problem.message);
  visit(document, {
    Scalar(_, node) {
      // Without types an empty place is the text "null", or "".
      if (node.type === 'PLAIN' && /^(?:|~|null|Null|NULL)$/.test(String(node.source ?? '')))
        node.value = null;
    },
    Pair(_, { key }) {
      if (!isScalar(key)) return visit.SKIP;
    },
  });
  try {
    const fields: unknown = document.toJS({ maxAliasCount }) ?? {};
    if (typeof fields !== 'object' || fields === null || Array.isArray(fields))
      return failed('it is not a list of "key: value"');
    return {
      fields: fields as Record<string, unknown>,
      warnings: warningsOf(document.warnings),
      error: null,
    };
  } catch (error) {
    return failed(messageOf(error));
  }
}

function warningsOf(warnings: readonly { message: string }[]): string[] {
  return warnings.map(({ message }) => message.split('\n', 1)[0] ?? '');
}

function failed(why: string): Frontmatter {
  const [line = ''] = why.split('\n', 1);
  return {
    fields: {},
    warnings: [],
    error: `the frontmatter cannot be read as YAML: ${line.replace(/:$/, '')}`,
  };
}

/** Puts the texts of the outermost keys into quotes, with the lines that go on with them. */
function withQuotes(yaml: string): string {
  const lines: string[] = [];
  let text: { key: string; words: string[] } | null = null;
  const close = () => {
    if (text) lines.push(`${text.key}: ${JSON.stringify(text.words.join(' '))}`);
    text = null;
  };
  for (const line of yaml.split(/\r?\n/)) {
    const pair = /^([A-Za-z][\w-]*):[ \t]+(.*)$/.exec(line);
    const [, key = '', written = ''] = pair ?? [];
    if (text && /^[ \t]+\S/.test(line)) {
      text.words.push(line.trim());
      continue;
    }
    close();
    // Blocks, lists, maps, anchors and what is quoted already are left as they are.
    if (pair && !/^["'[{|>&]/.test(written) && written.trim() !== '') text = { key, words: [written.trim()] };
    else lines.push(line);
  }
  close();
  return lines.join('\n');
}
