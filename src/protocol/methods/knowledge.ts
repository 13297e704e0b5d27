import * as z from 'zod/mini';
import { sideEffectClasses } from '../../../machines/run.types.ts';
import { budgetPeriods, skillPlaces, usageGroups } from '../enums.ts';
import { machine, machineLayout } from './answers/chart.ts';
import { author, searched } from './answers/conversation.ts';
import { reason, sentence } from './answers/run-values.ts';
import {
  about,
  hits,
  jsonObject,
  limit,
  named,
  queries,
  runId,
  sessionId,
  time,
  toOperators,
  word,
} from './fields.ts';
import type { Declarations } from './method.ts';

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
const skillList = z.strictObject({
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

const skillDetails = named(
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

const usageGroup = z.enum(usageGroups);

/** Model calls of a group, added up. */
const usageSum = named(
  'UsageSum',
  z.strictObject({
    key: about(
      z.string(),
      'The day (UTC), the model, the session …; empty for deleted sessions, for those of no user, and of the total.',
    ),
    calls: z.int(),
    failed: z.int(),
    cached: about(z.int(), 'Answered from the cache.'),
    unpriced: about(z.int(), 'Without a known price: `costUsd` does not include them.'),
    estimated: about(z.int(), 'With tokens that Detent estimated, because their answers broke off.'),
    inputTokens: z.number(),
    outputTokens: z.number(),
    /** Of the input. */
    cachedInputTokens: z.number(),
    cacheWriteTokens: z.number(),
    reasoningTokens: z.number(),
    costUsd: about(z.nullable(z.number()), 'Null when tokens were used and no call has a known price.'),
  }),
);

const account = z.strictObject({
  limit: about(z.nullable(z.number()), 'Null if there is none.'),
  spent: z.number(),
  held: about(z.number(), 'Reserved for calls in flight: their maximum cost.'),
  left: z.nullable(z.number()),
});

/** A budget in its current period. */
const budget = named(
  'Budget',
  z.strictObject({
    name: z.string(),
    per: z.nullable(z.enum(budgetPeriods)),
    /** The current day or month (UTC); null for a budget that never resets. */
    period: z.nullable(z.string()),
    tokens: account,
    costUsd: account,
    holds: about(z.int(), 'Calls in flight with a reservation.'),
    users: about(
      z.optional(
        z.array(z.strictObject({ userId: z.nullable(z.string()), tokens: account, costUsd: account })),
      ),
      'Of a budget for each user: the 20 users that spent most, first; null for runs of no user.',
    ),
  }),
);

const usageReport = named(
  'Usage',
  z.strictObject({
    by: usageGroup,
    /** Most recently used first. */
    groups: z.array(usageSum),
    total: usageSum,
    budgets: z.array(budget),
  }),
);

const whichMachine = z.strictObject({
  name: z.optional(word(100)),
  version: about(z.optional(z.int().check(z.gte(1), z.lte(1000))), 'Default: that of new runs.'),
});

/** Of a file, relative to the memory folder. Lines count from 1, and `endLine` is the last one. */
const lines = { path: z.string(), startLine: z.int(), endLine: z.int() };

export const knowledgeMethods = {
  'skill.list': {
    scope: 'read',
    summary:
      'The skills that runs can use. Where the folders of skills are needs the scope `admin`, in tenant 1.',
    input: z.strictObject({}),
    output: named('Skills', z.strictObject({ skills: skillList })),
    http: { verb: 'get', path: '/skills' },
  },
  'skill.get': {
    scope: 'read',
    summary: 'A skill with its text.',
    input: z.strictObject({ name: word() }),
    output: skillDetails,
    http: { verb: 'get', path: '/skills/{name}' },
  },
  'tool.list': {
    scope: 'read',
    summary: 'The tools that runs can use, and which of them ask a person.',
    input: z.strictObject({}),
    output: z.strictObject({
      tools: z.array(
        z.strictObject({
          name: z.string(),
          description: z.string(),
          parameters: about(jsonObject, 'JSON Schema.'),
          sideEffect: about(
            z.nullable(z.enum(sideEffectClasses)),
            'Null where it depends on the arguments of the call.',
          ),
          asks: about(
            z.nullable(z.boolean()),
            'Whether a call needs the approval of a person; null where it depends on the arguments.',
          ),
          why: toOperators('rule', about(z.string(), 'The rule that says so.')),
          reason,
          grantBy: about(
            z.exactOptional(z.array(z.string())),
            'The arguments that a later call must share with one that a person approved for the session; left out: all of them.',
          ),
          disabled: toOperators(
            'rule',
            about(z.nullable(z.string()), 'Why no run may use it; null if runs may.'),
          ),
          disabledReason: about(
            z.exactOptional(sentence),
            'Which reason `disabled` gives, for other languages; left out for words that Detent has no code for.',
          ),
        }),
      ),
    }),
    http: { verb: 'get', path: '/tools' },
  },
  'memory.search': {
    scope: 'read',
    summary: 'Searches the memory of the tenant.',
    input: z.strictObject({ query: queries, limit: hits }),
    output: named(
      'MemorySearch',
      z.strictObject({
        /** By words only, or also by meaning. */
        mode: z.enum(['lexical', 'hybrid']),
        ...searched,
        results: z.array(
          z.strictObject({
            ...lines,
            /** The exact text of these lines. */
            snippet: z.string(),
            /** The headings above it, from the outermost, with ` › ` between them. */
            heading: z.string(),
            /** From 0 to 1. With vectors only the order is meaningful. */
            score: z.number(),
            /** Its author; of several the least trusted. */
            from: author,
          }),
        ),
      }),
    ),
    http: { verb: 'get', path: '/memory/search' },
  },
  'memory.list': {
    scope: 'read',
    summary: 'The files of the memory of the tenant, or of the user whom the token is bound to.',
    input: z.strictObject({}),
    output: named(
      'MemoryFiles',
      z.strictObject({
        files: z.array(z.strictObject({ path: z.string(), bytes: z.int(), changedAt: z.number() })),
        problems: about(
          z.array(z.strictObject({ path: z.string(), problem: z.string() })),
          'Files that are not in the index, and why.',
        ),
        isCut: about(z.boolean(), 'There are more than are listed.'),
      }),
    ),
    http: { verb: 'get', path: '/memory/files' },
  },
  'memory.get': {
    scope: 'read',
    summary: 'Lines of a memory file.',
    input: z.strictObject({
      path: about(word(1000), '`MEMORY.md`, or a Markdown file under `memory/`.'),
      line: z.optional(z.int().check(z.gte(1))),
      limit: z.optional(z.int().check(z.gte(1), z.lte(10_000))),
    }),
    output: named(
      'MemoryText',
      z.strictObject({
        ...lines,
        totalLines: about(z.int(), 'Lines of the whole file.'),
        /** Exactly these lines, with `\n` between them. */
        text: z.string(),
        /** Their author; of several the least trusted. */
        from: author,
      }),
    ),
    http: { verb: 'get', path: '/memory/file' },
  },
  'machine.get': {
    scope: 'read',
    summary: 'The statechart of runs: states, transitions, guards, and the same as a Mermaid diagram.',
    input: whichMachine,
    output: machine,
    http: { verb: 'get', path: '/machine' },
  },
  'machine.layout': {
    scope: 'read',
    summary: 'Where to draw the statechart’s states and edges.',
    input: whichMachine,
    output: machineLayout,
    http: { verb: 'get', path: '/machine/layout' },
  },
  'config.get': {
    scope: 'admin',
    summary: 'The configuration in force, with every secret masked; for tenant 1 alone.',
    input: z.strictObject({}),
    output: named(
      'Config',
      z.strictObject({
        config: z.strictObject({
          /** Absolute. */
          workspace: z.string(),
          values: about(
            z.record(z.string(), z.unknown()),
            'Every field by its path, `limits.maxSteps`; null where it has none.',
          ),
        }),
      }),
    ),
    http: { verb: 'get', path: '/config' },
  },
  'config.origins': {
    scope: 'admin',
    summary: 'Where each value of the configuration comes from; for tenant 1 alone.',
    input: z.strictObject({}),
    output: named(
      'ConfigOrigins',
      z.strictObject({
        origins: z.strictObject({
          file: about(z.nullable(z.string()), 'The configuration file; null when there is none.'),
          values: about(
            z.record(
              z.string(),
              z.strictObject({
                source: z.enum(['flag', 'variable', 'file', 'program', 'default']),
                from: z.nullable(z.string()),
              }),
            ),
            'By path. `from` names the flag, the variable, or the place in the file; null for the others.',
          ),
        }),
      }),
    ),
    http: { verb: 'get', path: '/config/origins' },
  },
  'usage.get': {
    scope: 'read',
    summary:
      'Sums of model calls, tokens and costs: of the tenant, or of what exists for the token in it. The budgets are the tenant’s: a token that is bound to a user, agents or workflows gets none.',
    input: z.strictObject({
      sessionId: z.optional(sessionId),
      runId: z.optional(runId),
      from: z.optional(time),
      to: z.optional(time),
      by: z.optional(usageGroup),
      limit: limit(1000, 1000),
    }),
    output: usageReport,
    http: { verb: 'get', path: '/usage' },
  },
} satisfies Declarations;
