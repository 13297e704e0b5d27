import { calculatorRule } from './calculator.ts';
import { datetimeRule } from './datetime.ts';
import { editFileRule } from './edit-file.ts';
import { listFilesRule } from './list-files.ts';
import { memorySearchRule } from './memory-search.ts';
import { memoryWriteRule } from './memory-write.ts';
import { readFileRule } from './read-file.ts';
import type { Rule } from './rule.ts';
import { unitConvertRule } from './unit-convert.ts';
import { writeFileRule } from './write-file.ts';

/** All that the demo understands, in the order in which it is tried. A new tool is a new file and one entry here. */
export const rules: readonly Rule[] = [
  calculatorRule,
  unitConvertRule,
  datetimeRule,
  readFileRule,
  listFilesRule,
  writeFileRule,
  editFileRule,
  memorySearchRule,
  memoryWriteRule,
];

export function ruleFor(tool: string): Rule | undefined {
  return rules.find((rule) => rule.tool === tool);
}
