import { parseDocument, visit } from 'yaml';
import { messageOf } from '../../protocol/error.ts';
import { placeOf, TextFault } from './text-file.ts';

/** Maximum uses of anchors, against alias bombs. */
const maxAliasCount = 100;

/**
 * Parses one YAML 1.2 document by the core schema. A file of nothing but comments is an empty object.
 *
 * @throws TextFault for invalid YAML, for a duplicate key, and for a tag outside the core schema.
 */
export function readYaml(text: string): unknown {
  const document = parseDocument(text, {
    version: '1.2',
    schema: 'core',
    uniqueKeys: true,
    prettyErrors: false,
  });
  const [problem] = [...document.errors, ...document.warnings];
  if (problem) throw new TextFault(problem.message, placeOf(text, problem.pos[0]));
  visit(document, {
    Alias(_, alias) {
      if (alias.resolve(document)) return;
      throw new TextFault(`there is no anchor &${alias.source}`, placeOf(text, alias.range?.[0] ?? 0));
    },
  });
  try {
    return document.toJS({ maxAliasCount }) ?? {};
  } catch (error) {
    throw new TextFault(messageOf(error), null);
  }
}
