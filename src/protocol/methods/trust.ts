import * as z from 'zod/mini';
import { scopes } from '../access.ts';
import { about, idempotencyKey, word } from './fields.ts';
import type { Declarations } from './method.ts';

const revoked = z.strictObject({ revoked: z.literal(true) });

/** What is trusted here. These methods show it and take it back; no method grants it. */
export const trustMethods = {
  'trust.list': {
    scope: 'admin',
    summary: 'What is trusted: folders, skills as they were, and the tokens that let clients in.',
    input: z.strictObject({}),
    output: z.strictObject({
      folders: about(
        z.nullable(
          z.array(
            z.strictObject({
              folder: z.string(),
              at: z.string(),
              files: z.array(z.string()),
              mine: about(
                z.boolean(),
                'Whether its owner said that nobody else writes in it: then changes do not ask again.',
              ),
            }),
          ),
        ),
        'Null when the program that serves keeps no such records, or for another tenant than the first.',
      ),
      skills: z.array(z.strictObject({ name: z.string(), hash: z.string(), at: z.string() })),
      tokens: z.array(
        z.strictObject({
          id: z.string(),
          name: z.string(),
          tenantId: z.int(),
          userId: z.nullable(z.string()),
          sees: z.exactOptional(z.literal('tenant')),
          agents: z.exactOptional(z.array(z.string())),
          workflows: z.exactOptional(z.array(z.string())),
          scopes: z.array(z.enum(scopes)),
          createdAt: z.number(),
          expiresAt: z.nullable(z.number()),
          maxRuns: z.nullable(z.int()),
          revokedAt: z.nullable(z.number()),
        }),
      ),
    }),
    http: { verb: 'get', path: '/trust' },
  },
  'trust.revoke': {
    scope: 'admin',
    summary:
      'Ends the trust in a folder, so that the next command there asks again; or in every approved version of a skill.',
    input: z.strictObject({
      kind: z.enum(['folder', 'skill']),
      name: about(word(4_096), 'As `trust.list` names it.'),
      idempotencyKey,
    }),
    output: revoked,
    http: { verb: 'post', path: '/trust/revocations' },
    keyed: 'repeated',
  },
  'token.revoke': {
    scope: 'admin',
    summary: 'Revokes a token.',
    input: z.strictObject({ id: about(word(), 'The part of the token before the dot.'), idempotencyKey }),
    output: revoked,
    http: { verb: 'delete', path: '/tokens/{id}' },
    keyed: 'repeated',
  },
} satisfies Declarations;
