import { isScalar, parseDocument, visit } from 'yaml';
import { messageOf } from '../../protocol/error.ts';
import { isObject } from '../../protocol/json.ts';
import { skillProblem } from '../../protocol/views.ts';

/** Parsed frontmatter, with every scalar as its source text: `1.0` is not 1. */
interface Frontmatter {
  fields: Readonly<Record<string, unknown>>;
  warnings: readonly string[];
  /** Set when the YAML is invalid. */
  error: string | null;
}

/** A prompt shows about a thousand characters of a skill; the YAML parser needs seconds for far more. */
const maxChars = 65_536;
/** Deeply nested brackets take the YAML parser seconds, too. */
const maxBrackets = 1_000;
/** Maximum uses of anchors; more is a "billion laughs" attack. */
const maxAliasCount = 100;

/**
 * Parses frontmatter in safe mode: YAML 1.2 without types and without active tags. If an unquoted colon in a text makes it
 * invalid, which other clients accept, it is parsed again with quotes added.
 *
 * @see https://agentskills.io/client-implementation/adding-skills-support
 */
export function yamlFrontmatter(yaml: string): Frontmatter {
  const tooMuch = tooMuchIn(yaml);
  if (tooMuch !== null) return unreadable(tooMuch, 'skill_too_large');
  const read = readYaml(yaml);
  if (read.error === null) return read;
  const quoted = withQuotes(yaml);
  const again = quoted === yaml ? read : readYaml(quoted);
  if (again.error !== null) return read;
  return {
    ...again,
    warnings: [skillProblem('skill_needs_quotes'), ...again.warnings],
  };
}

/** Why frontmatter is too large to parse; null when it is not. */
function tooMuchIn(yaml: string): string | null {
  if (yaml.length > maxChars) return `it has ${yaml.length} characters, at most ${maxChars}`;
  const brackets = yaml.split(/[[{]/, maxBrackets + 2).length - 1;
  return brackets > maxBrackets ? `it has more than ${maxBrackets} brackets` : null;
}

function readYaml(yaml: string): Frontmatter {
  try {
    return readDocument(yaml);
  } catch (error) {
    // Nested too deeply, or with too many aliases.
    return unreadable(messageOf(error));
  }
}

function readDocument(yaml: string): Frontmatter {
  const document = parseDocument(yaml, {
    version: '1.2',
    schema: 'failsafe',
    uniqueKeys: true,
    prettyErrors: false,
    logLevel: 'silent',
  });
  const [problem] = document.errors;
  if (problem) return unreadable(`${firstLine(problem.message)} (line ${lineAt(yaml, problem.pos[0])})`);
  visit(document, {
    Scalar(_, node) {
      // Without types an empty value is the text "null", or "".
      if (node.type === 'PLAIN' && /^(?:|~|null|Null|NULL)$/.test(String(node.source ?? '')))
        node.value = null;
    },
    Pair(_, { key }) {
      if (!isScalar(key)) return visit.SKIP;
    },
  });
  const fields: unknown = document.toJS({ maxAliasCount }) ?? {};
  if (!isObject(fields)) return unreadable('it is not a list of "key: value"');
  return { fields, warnings: document.warnings.map(({ message }) => firstLine(message)), error: null };
}

/** The line number in the file: the frontmatter begins after the first line. */
function lineAt(yaml: string, at: number): number {
  return yaml.slice(0, at).split('\n').length + 1;
}

function firstLine(message: string): string {
  return (message.split('\n', 1)[0] ?? '').replace(/:$/, '');
}

function unreadable(why: string, code: 'skill_no_yaml' | 'skill_too_large' = 'skill_no_yaml'): Frontmatter {
  return { fields: {}, warnings: [], error: skillProblem(code, { said: firstLine(why) }) };
}

/** Adds quotes to texts that need them: those of top-level keys, with their continuation lines, and one level below. */
function withQuotes(yaml: string): string {
  const lines: string[] = [];
  let text: { key: string; words: string[] } | null = null;
  let isMap = false;
  const close = () => {
    if (text) lines.push(quoted(text.key, text.words.join(' ')));
    text = null;
  };
  for (const line of yaml.split('\n')) {
    if (text && line.trim() === '') continue;
    if (text && /^[ \t]/.test(line)) {
      text.words.push(line.trim());
      continue;
    }
    close();
    const [, indent = '', key = '', written = ''] =
      /^( *)([A-Za-z][\w.-]*):(?:[ \t]+(.*))?$/.exec(line) ?? [];
    const isText = isUnquoted(written);
    if (key !== '' && indent === '') {
      isMap = written.trim() === '';
      if (isText) text = { key, words: [written.trim()] };
      else lines.push(line);
    } else lines.push(isMap && isText ? quoted(`${indent}${key}`, written.trim()) : line);
  }
  close();
  return lines.join('\n');
}

function quoted(key: string, text: string): string {
  return `${key}: ${JSON.stringify(text)}`;
}

/** Whether it is an unquoted text: no block, list, map, anchor or alias, and no quotes around all of it. */
function isUnquoted(written: string): boolean {
  const text = written.trim();
  if (/^["']/.test(text))
    return (
      /^(?:"[^"]*"|'[^']*')[ \t]*[^\s#]/.test(text) && !/^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')$/.test(text)
    );
  if (/^[[{]/.test(text)) return /^(?:\[[^\]]*\]|\{[^}]*\})[ \t]*[^\s#]/.test(text);
  return text !== '' && !/^(?:[|>][-+\d]*(?:\s+#.*)?$|[&#]|\*\S+$)/.test(text);
}
