/** Sources of tools, patterns of their names, schemas of outputs. */
export { type FormSchema, fieldsOf } from './output/form-fields.ts';
export { checkOutput, outputJsonSchema, standardSchema, typedOutput } from './output/output-schema.ts';
export type { SchemaCheck } from './registry/issues.ts';
export { jsonSchemaIssues } from './registry/json-schema.ts';
export {
  builtinToolsets,
  expandTools,
  namedByBoth,
  namesPrefix,
  optionalTools,
  toolMatcher,
} from './registry/name-patterns.ts';
export type { ToolSource } from './registry/tool-source.ts';
export { toolSpec } from './registry/tool-spec.ts';
