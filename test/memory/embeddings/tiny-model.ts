import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Writes a model that transformers.js can run: an ONNX graph of one table look-up, in which each word of a small vocabulary
 * has a vector, and those that mean the same have the same. Its bytes are put together here.
 *
 * @see https://github.com/onnx/onnx/blob/main/onnx/onnx.proto
 * @param meanings words, each with the word whose meaning it has.
 */
export async function writeTinyModel(
  folder: string,
  meanings: Readonly<Record<string, string>>,
): Promise<void> {
  const words = [...special, ...Object.keys(meanings)];
  const rows = words.map((word) => vectorOf(meanings[word] ?? word));
  const vocab = Object.fromEntries(words.map((word, id) => [word, id]));
  await mkdir(join(folder, 'onnx'), { recursive: true });
  await writeFile(join(folder, 'onnx/model.onnx'), modelOf(rows));
  const json = (name: string, value: object) => writeFile(join(folder, name), JSON.stringify(value));
  await json('config.json', { model_type: 'bert', hidden_size: dims, vocab_size: words.length });
  await json('tokenizer_config.json', { tokenizer_class: 'BertTokenizer', model_max_length: 512 });
  await json('tokenizer.json', {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: special.map((content, id) => ({ id, content, special: true })),
    normalizer: { type: 'BertNormalizer', clean_text: true, handle_chinese_chars: true, lowercase: true },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: {
      type: 'TemplateProcessing',
      single: [
        { SpecialToken: { id: '[CLS]', type_id: 0 } },
        { Sequence: { id: 'A', type_id: 0 } },
        { SpecialToken: { id: '[SEP]', type_id: 0 } },
      ],
      pair: [],
      special_tokens: Object.fromEntries(
        ['[CLS]', '[SEP]'].map((id) => [id, { id, ids: [vocab[id]], tokens: [id] }]),
      ),
    },
    decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab,
    },
  });
}

const special = ['[PAD]', '[UNK]', '[CLS]', '[SEP]'];
const dims = 64;

/** Always the same for a word; those of the marks are short, so that words alone count. */
function vectorOf(word: string): number[] {
  let seed = [...word].reduce((all, letter) => (Math.imul(all, 31) + letter.charCodeAt(0)) >>> 0, 7);
  const size = special.includes(word) ? 0.01 : 1;
  return Array.from({ length: dims }, () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return size * (seed / 2 ** 31 - 1);
  });
}

const float = 1;
const int64 = 7;

function modelOf(rows: readonly (readonly number[])[]): Uint8Array {
  const table = message(
    [1, varint(rows.length)],
    [1, varint(dims)],
    [2, varint(float)],
    [8, text('table')],
    [9, new Uint8Array(Float32Array.from(rows.flat()).buffer)],
  );
  const lookUp = message(
    [1, text('table')],
    [1, text('input_ids')],
    [2, text('last_hidden_state')],
    [4, text('Gather')],
  );
  const inputs = ['input_ids', 'attention_mask', 'token_type_ids'].map((name) =>
    tensorOf(name, int64, ['batch', 'sequence']),
  );
  const graph = message(
    [1, lookUp],
    [2, text('tiny')],
    [5, table],
    ...inputs.map((input): Field => [11, input]),
    [12, tensorOf('last_hidden_state', float, ['batch', 'sequence', dims])],
  );
  const opset = message([1, text('')], [2, varint(13)]);
  return message([1, varint(8)], [7, graph], [8, opset]);
}

/** The name, the kind and the shape of what goes in or comes out. */
function tensorOf(name: string, kind: number, shape: readonly (string | number)[]): Uint8Array {
  const sizes = shape.map(
    (size): Field => [1, typeof size === 'string' ? message([2, text(size)]) : message([1, varint(size)])],
  );
  const tensor = message([1, varint(kind)], [2, message(...sizes)]);
  return message([1, text(name)], [2, message([1, tensor])]);
}

/** A number or bytes, under the number of its field. */
type Field = [field: number, value: Uint8Array | Varint];
interface Varint {
  varint: number;
}

function message(...fields: readonly Field[]): Uint8Array {
  const parts = fields.flatMap(([field, value]) =>
    'varint' in value
      ? [leb128(field * 8), leb128(value.varint)]
      : [leb128(field * 8 + 2), leb128(value.length), value],
  );
  return Buffer.concat(parts);
}

function varint(value: number): Varint {
  return { varint: value };
}

function text(value: string): Uint8Array {
  return Buffer.from(value);
}

function leb128(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return Uint8Array.from([...bytes, rest]);
}
