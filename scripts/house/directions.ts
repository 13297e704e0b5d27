/**
 * Who may import whom. A room (a folder of `src`, `machines`, or `web`) imports only from rows below its own; rooms of one row
 * do not know each other. `inside` says the same of what lies in a room: its folders and the files at its top.
 */
export const rows: readonly (readonly string[])[] = [
  ['cli', 'web'],
  ['gateway', 'testing'],
  ['schedule', 'inspect', 'eval'],
  ['index'],
  ['runtime', 'core'],
  ['workflow'],
  ['runs'],
  ['agent', 'models', 'tools', 'skills', 'memory', 'telemetry', 'cluster'],
  ['engine', 'records'],
  ['store', 'ports'],
  ['client'],
  ['protocol'],
  ['machines', 'text', 'files'],
];

export const inside: Readonly<Record<string, readonly (readonly string[])[]>> = {
  agent: [
    ['run-host'],
    ['tool-call', 'compaction'],
    ['model-call'],
    ['prompt'],
    ['hooks', 'skills', 'usage'],
    ['run-effect'],
    ['policy', 'messages'],
    ['services'],
    ['statements'],
  ],
  cli: [
    ['main'],
    ['process'],
    ['run-cli'],
    ['program'],
    ['commands'],
    ['drive'],
    ['remote'],
    ['settings'],
    ['trust'],
    ['terminal'],
    ['compiled-code'],
  ],
  memory: [
    ['memories', 'tools'],
    ['memory', 'recall', 'conversations', 'eval'],
    ['day-log', 'get', 'forget'],
    ['index', 'change-file', 'write-lock', 'home'],
    ['search', 'embeddings'],
    ['markdown', 'asked-queries', 'query-arguments', 'statements'],
  ],
  models: [
    ['directory'],
    ['named-addresses'],
    ['find-model'],
    ['provider-config'],
    ['anthropic', 'openai', 'router', 'with-thinking', 'demo'],
    ['wire', 'catalogue'],
  ],
  runs: [
    ['sub-runs', 'sessions', 'jobs'],
    ['events', 'inspection'],
    ['history', 'runs'],
    ['rests'],
    ['commands'],
    ['list-runs', 'feed'],
    ['course'],
    ['read-run-view', 'read-artifact', 'call-result', 'context-use'],
    ['flows'],
    ['run-status'],
    ['watch', 'links'],
    ['decisions', 'sub-run-rows', 'imported', 'find-run', 'resume-scope', 'owners', 'remove-run'],
    ['words', 'story'],
    [
      'conversation',
      'pending-view',
      'is-imported',
      'keyed-requests',
      'statements',
      'taint-of-run',
      'todo-items',
      'refuse-unheard',
    ],
  ],
  runtime: [
    ['create-detent', 'check-node'],
    ['compose', 'api'],
    ['storage'],
    ['parts', 'settings'],
    ['requests', 'chart'],
    ['core', 'config', 'redaction', 'version', 'needs-node'],
  ],
  schedule: [
    ['index'],
    ['scheduler'],
    ['api'],
    ['declared'],
    ['definition', 'deliver', 'slots', 'views'],
    ['times'],
  ],
  store: [
    ['sql'],
    ['store'],
    ['program'],
    ['statements'],
    ['query'],
    ['statement', 'dialect'],
    ['page', 'database', 'kysely'],
    ['rows'],
    ['tables'],
    ['column'],
  ],
  tools: [
    ['toolbox', 'client-tools'],
    ['builtin', 'mcp'],
    ['calls', 'output', 'policy', 'sandbox'],
    ['registry', 'files', 'math', 'http'],
  ],
  web: [['main'], ['shell'], ['pages'], ['parts'], ['data'], ['base']],
};

/** Rooms that import only these of the rooms below them: the page runs in a browser. */
export const only: Readonly<Record<string, readonly string[]>> = {
  web: ['client', 'protocol'],
};

/** Folders of many files of one kind, each found by its name: there, a small file with a single importer is as it should be. */
export const families: readonly string[] = [
  'src/cli/commands',
  'src/runtime/api',
  'src/runtime/parts',
  'src/store/statements',
  'src/tools/builtin',
  'web/src/pages',
];

/** The packages that a room may import, `node:` for Node's own modules. A room without a line may import any. */
export const packages: Readonly<Record<string, readonly string[]>> = {
  machines: ['xstate'],
  text: ['stemmer'],
  files: [
    'node:fs',
    'node:module',
    'node:path',
    'node:crypto',
    'node:os',
    'node:timers',
    'node:worker_threads',
    'better-sqlite3',
  ],
  protocol: ['zod/mini', 'zod/v4/locales/en.js'],
  client: [],
  ports: ['tokenx', 'zod', 'zod/v4/locales/en.js', 'node:async_hooks'],
  records: ['@noble/hashes'],
  engine: ['xstate'],
  agent: ['@noble/hashes'],
  runs: ['xstate'],
  web: ['preact', '@preact/signals', '@tanstack/virtual-core', 'marked', 'diff'],
};
