import { statSync } from 'node:fs';
import { readWholeSync } from '../../../files/open-to-read.ts';
import { messageOf } from '../../../protocol/error.ts';
import { isObject } from '../../../protocol/json.ts';
import { outputJsonSchema } from '../../../tools/output/output-schema.ts';
import { usage } from '../../settings/flags.ts';
import type { Io } from '../../terminal/io.ts';

/** More than any usable schema has, white space included. */
const maxBytes = 1_048_576;

/**
 * The JSON Schema in the file of `--output-schema`.
 *
 * @throws DetentError `USAGE` when the file cannot be read or is not JSON; `INVALID_OUTPUT_SCHEMA`
 */
export function outputSchemaOf(file: string, io: Pick<Io, 'path'>): Record<string, unknown> {
  const named = `--output-schema ${file}`;
  const schema = parsed(named, read(named, io.path(file)));
  if (!isObject(schema)) throw usage(`${named} is no JSON Schema: a JSON Schema is an object`);
  return outputJsonSchema(schema, named);
}

function read(named: string, path: string): string {
  let text: string;
  try {
    const { size } = statSync(path);
    if (size > maxBytes) throw new Error(`it has ${size} bytes, and ${maxBytes} is the maximum`);
    text = readWholeSync(path, { waitsForPipe: true }).toString();
  } catch (error) {
    throw usage(`${named} cannot be read: ${messageOf(error)}`);
  }
  return text.replace(/^\uFEFF/, '');
}

function parsed(named: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw usage(`${named} is not JSON: ${messageOf(error)}`);
  }
}
