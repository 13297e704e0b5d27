import * as z from 'zod/mini';
import { skillPlaces } from '../../enums.ts';
import { about, named, toOperators } from '../fields.ts';
import { sentence } from './run-values.ts';

const skillPlace = z.enum(skillPlaces);

const skillFields = {
  name: z.string(),
  description: z.string(),
  /** Where it was found. Of two with one name the later place wins: bundled, home, project, configured. */
  from: skillPlace,
  path: about(z.string(), 'Of its `SKILL.md`; within its folder, without the scope `admin`.'),
  /** Whether a model may choose it, and whether a prompt may name it. */
  forModels: z.boolean(),
  forPeople: z.boolean(),
  off: toOperators('rule', about(z.nullable(z.string()), 'Why no run may use it; null if runs may.')),
  offReason: about(z.exactOptional(sentence), 'Which reason `off` gives, for other languages.'),
  isTrusted: about(z.boolean(), 'Whether Detent brings it, or a person approved it with its current files.'),
  warnings: about(z.array(z.string()), 'What is wrong with its form: other clients may refuse it.'),
  warningSentences: about(z.array(sentence), 'The warnings, for other languages.'),
  /** Paths of the skills of the same name that it overrides. */
  shadows: z.array(z.string()),
};

/** All skills, and the files that cannot be used. */
export const skillList = z.strictObject({
  skills: z.array(z.strictObject(skillFields)),
  bad: z.array(
    z.strictObject({
      path: z.string(),
      reasons: z.array(z.string()),
      sentences: about(z.array(sentence), 'The reasons, for other languages.'),
    }),
  ),
  unknown: about(
    z.array(
      z.strictObject({
        field: z.enum(['skills.allowed', 'skills.disabled']),
        name: z.string(),
        /** The name that was probably meant; null when none is close. */
        nearest: z.nullable(z.string()),
      }),
    ),
    'Names in these fields of the configuration that no skill has.',
  ),
  folders: about(
    z.exactOptional(z.array(z.strictObject({ folder: z.string(), from: skillPlace }))),
    'The folders that were searched; a later one overrides the earlier ones. Needs the scope `admin`, in tenant 1.',
  ),
});

export const skillDetails = named(
  'Skill',
  z.strictObject({
    ...skillFields,
    title: z.nullable(z.string()),
    summary: z.string(),
    checklist: z.array(z.string()),
    license: z.nullable(z.string()),
    compatibility: z.nullable(z.string()),
    metadata: z.record(z.string(), z.string()),
    /** The only calls that it allows a run, as `shell (git:*)`; null if it restricts none. */
    allowed: z.nullable(z.array(z.string())),
    /** The calls for which it requires a confirmation; null if it does not say. */
    confirm: z.nullable(z.array(z.string())),
    /** SHA-256 of its files; null if they could not be read. */
    hash: z.nullable(z.string()),
    /** Its files besides `SKILL.md`; null if there are too many. */
    files: z.nullable(z.array(z.string())),
    body: z.string(),
  }),
);
