import * as z from 'zod/mini';
import { about, idempotencyKey, named, word } from './fields.ts';
import type { Declarations } from './method.ts';

const userId = about(word(128), 'As tokens and sessions name the user.');

/** What hosts do with all that is kept of a user. */
export const userMethods = {
  'session.claim': {
    scope: 'admin',
    summary:
      'Gives all that is kept of a guest to the user who has logged in, once: sessions, runs, memory, uploads, jobs. The tokens of the guest end.',
    input: z.strictObject({
      from: userId,
      to: userId,
      claims: about(
        z.optional(z.record(z.string(), z.string())),
        'What the host says of the user to tools from now on. Default: nothing; what it said of the guest goes.',
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
    summary: 'All that is kept of a user, as lines of JSON, by the page.',
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
      'Deletes all that is kept of a user, after it has cancelled the runs, and overwrites what remains in the files.',
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
