import * as z from 'zod/mini';
import { about, idempotencyKey, named, word } from './fields.ts';
import type { Declarations } from './method.ts';

const userId = about(word(128), 'As tokens and sessions name the user.');

/** What hosts do with all that is kept of a user. */
export const userMethods = {
  'session.claim': {
    scope: 'admin',
    summary:
      'Gives all data of a guest to the user who has logged in, once: sessions, runs, memory, uploads, jobs. The tokens of the guest expire.',
    input: z.strictObject({
      from: userId,
      to: userId,
      claims: about(
        z.optional(z.record(z.string(), z.string())),
        'What the host tells tools about the user from now on. Default: nothing. What it said about the guest is deleted.',
      ),
      idempotencyKey,
    }),
    output: named(
      'Claim',
      z.strictObject({ from: z.string(), to: z.string(), sessions: z.int(), runs: z.int() }),
    ),
    http: { verb: 'post', path: '/users/claims' },
    keyed: 'noted',
  },
  'users.export': {
    scope: 'admin',
    summary: 'All data of a user, as lines of JSON, in pages.',
    input: z.strictObject({
      userId,
      after: about(
        z._default(z.int().check(z.gte(0)), 0),
        'How many lines came before: `next` of the last page.',
      ),
      maxBytes: about(
        z._default(z.int().check(z.gte(1), z.lte(16_000_000)), 1_000_000),
        'A page ends with the line that passes so many characters.',
      ),
    }),
    output: named(
      'UserExport',
      z.strictObject({
        lines: z.array(z.string()),
        next: about(z.nullable(z.int()), 'Null after the last page.'),
      }),
    ),
    http: { verb: 'get', path: '/users/{userId}/export' },
  },
  'users.forget': {
    scope: 'admin',
    summary:
      'Cancels the runs of a user, deletes all data of the user, and overwrites what remains in the files.',
    input: z.strictObject({ userId, idempotencyKey }),
    output: named(
      'ForgottenUser',
      z.strictObject({
        sessions: z.int(),
        runs: z.int(),
        messages: z.int(),
        erased: about(z.boolean(), 'False when traces may still be in files: ask again.'),
        told: about(
          z.boolean(),
          'Whether functions of `onForget` were called. False in a process that has none: one that has some calls them.',
        ),
      }),
    ),
    http: { verb: 'delete', path: '/users/{userId}' },
    keyed: 'repeated',
  },
} satisfies Declarations;
