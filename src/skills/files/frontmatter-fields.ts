import { isObject } from '../../protocol/json.ts';
import { skillProblem } from '../../protocol/views.ts';
import { hasWholeEntries, toolEntries } from './skill-text.ts';

/** The fields of frontmatter besides name and description. */
export interface FrontmatterFields {
  license: string | null;
  compatibility: string | null;
  /** Every value as its source text. */
  metadata: Readonly<Record<string, string>>;
  /** The entries of `allowed-tools` as written; null without the field. */
  allowedTools: string[] | null;
  /** The same for `confirm-before`. */
  confirmBefore: string[] | null;
  /** False: only a person can choose it (`disable-model-invocation: true`). */
  isForModels: boolean;
  /** False: only a model can choose it (`user-invocable: false`). */
  isForPeople: boolean;
}

/** The fields of a skill, with warnings and errors. */
export interface ReadFields extends FrontmatterFields {
  /** Empty without the field. */
  name: string;
  description: string;
  warnings: string[];
  errors: string[];
}

const maxNameChars = 64;
const maxDescriptionChars = 1_024;
const maxCompatibilityChars = 500;

/**
 * Reads the fields of frontmatter leniently, as the format asks of clients: only a missing description is an error.
 *
 * @param folder name of the folder that the file is in.
 */
export function fieldsOf(fields: Readonly<Record<string, unknown>>, folder: string): ReadFields {
  const name = trimmedText(fields.name);
  const description = trimmedText(fields.description);
  const compatibility = trimmedText(fields.compatibility);
  const warnings = [
    ...nameWarnings(name, folder),
    ...tooLong('description', description, maxDescriptionChars),
    ...tooLong('compatibility', compatibility, maxCompatibilityChars),
    ...typeWarnings(fields),
  ];
  const { description: written = null } = fields;
  const isMissing = written === null || (typeof written === 'string' && description === '');
  return {
    name,
    description,
    license: trimmedText(fields.license) || null,
    compatibility: compatibility || null,
    metadata: metadataOf(fields.metadata),
    allowedTools: toolEntries(fields['allowed-tools']),
    // It is unknown which calls should ask, so every call does.
    confirmBefore: isToolField(fields['confirm-before']) ? toolEntries(fields['confirm-before']) : ['*'],
    isForModels: (switchOf(fields['disable-model-invocation']) ?? 'false') === 'false',
    isForPeople: (switchOf(fields['user-invocable']) ?? 'true') === 'true',
    warnings,
    errors: [
      ...(isMissing ? [skillProblem('skill_not_described')] : []),
      ...(!isMissing && description === '' ? [skillProblem('skill_description_not_text')] : []),
    ],
  };
}

function tooLong(field: string, text: string, max: number): string[] {
  return isLonger(text, max)
    ? [skillProblem('skill_field_too_long', { field, count: length(text), max })]
    : [];
}

/** Violations of the format's rules for names: https://agentskills.io/specification#name-field */
function nameWarnings(written: string, inFolder: string): string[] {
  if (written === inFolder && written.length <= maxNameChars && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(written))
    return [];
  const [name, folder] = [JSON.stringify(written), JSON.stringify(inFolder)];
  if (written === '') return [skillProblem('skill_unnamed', { folder })];
  return [
    ...(isLonger(written, maxNameChars)
      ? [skillProblem('skill_name_too_long', { name, count: length(written), max: maxNameChars })]
      : []),
    ...(/^-/.test(written) ? [skillProblem('skill_name_begins', { name })] : []),
    ...(/-$/.test(written) ? [skillProblem('skill_name_ends', { name })] : []),
    ...(/--/.test(written) ? [skillProblem('skill_name_hyphens', { name })] : []),
    ...(/^[\p{Ll}\p{Lo}\p{Lm}\p{M}\p{N}-]*$/u.test(written)
      ? []
      : [skillProblem('skill_name_letters', { name })]),
    ...(written.normalize('NFKC') === inFolder.normalize('NFKC')
      ? []
      : [skillProblem('skill_name_of_other', { name, folder })]),
  ];
}

function typeWarnings(fields: Readonly<Record<string, unknown>>): string[] {
  const texts = ['name', 'license', 'compatibility'].filter(
    (field) => fields[field] !== undefined && fields[field] !== null && typeof fields[field] !== 'string',
  );
  const lists = ['allowed-tools', 'confirm-before'].filter((field) => !isTextField(fields[field]));
  const broken = ['allowed-tools', 'confirm-before'].filter(
    (field) => isTextField(fields[field]) && !isToolField(fields[field]),
  );
  const switches = ['disable-model-invocation', 'user-invocable'].filter(
    (field) => switchOf(fields[field]) === 'unknown',
  );
  return [
    ...texts.map((field) => skillProblem('skill_field_no_text', { field })),
    ...lists.map((field) => skillProblem('skill_field_no_list', { field })),
    ...broken.map((field) => skillProblem('skill_field_entry', { field })),
    ...(isToolField(fields['confirm-before']) ? [] : [skillProblem('skill_confirm_unreadable')]),
    ...switches.map((field) => skillProblem('skill_field_no_switch', { field })),
    ...(fields.metadata === undefined || fields.metadata === null || isObject(fields.metadata)
      ? []
      : [skillProblem('skill_metadata_no_map')]),
  ];
}

function isTextField(field: unknown): boolean {
  if (field === undefined || field === null || typeof field === 'string') return true;
  return Array.isArray(field) && field.every((text) => typeof text === 'string');
}

function isToolField(field: unknown): boolean {
  return isTextField(field) && [field ?? ''].flat().every((text) => hasWholeEntries(String(text)));
}

/** Null without the field. YAML writes booleans in several ways. */
function switchOf(field: unknown): 'true' | 'false' | 'unknown' | null {
  if (field === undefined || field === null) return null;
  const word = String(field).trim().toLowerCase();
  if (['true', 'yes', 'on'].includes(word)) return 'true';
  return ['false', 'no', 'off'].includes(word) ? 'false' : 'unknown';
}

function metadataOf(field: unknown): Record<string, string> {
  if (!isObject(field)) return {};
  return Object.fromEntries(
    Object.entries(field).map(([key, value]) => [key, typeof value === 'string' ? value : asJson(value)]),
  );
}

/** Empty for a value that contains itself by a YAML alias. */
function asJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return '';
  }
}

function trimmedText(field: unknown): string {
  return typeof field === 'string' ? field.trim() : '';
}

function isLonger(text: string, most: number): boolean {
  return text.length > most && length(text) > most;
}

/** In characters, not in UTF-16 units. */
function length(text: string): number {
  return Array.from(text).length;
}
