const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** The defaults that runs read, by field. Apart from the schemas of the fields, so that a start loads none of them. */
export const defaults = {
  system:
    'You are a helpful assistant. Use the tools you are given when they help; answer in the language of the user.',
  router: { breaker: { failures: 5, openMs: 30_000 }, clients: 32 },
  policy: { approve: 'ask', taint: 'confirm' },
  mcp: { timeoutMs: 120_000, connectTimeoutMs: 15_000 },
  embeddings: { api: 'openai', timeoutMs: 10_000, pooling: 'mean', dtype: 'fp32', download: false },
  limits: {
    maxSteps: 50,
    maxRetries: 3,
    timeoutMs: 30 * minuteMs,
    maxPromptBytes: 1_000_000,
    maxErrors: 3,
    maxRepeats: 3,
    parallelCalls: 4,
    confirmExpiryMs: 7 * dayMs,
    reconcileExpiryMs: 7 * dayMs,
    queueExpiryMs: dayMs,
  },
  context: { pruneAt: 0.6, compactAt: 0.8, keepShare: 0.25 },
  database: { file: '.detent/detent.db', synchronous: 'FULL', groupCommit: true },
  hookTimeoutMs: 5_000,
  log: { level: 'silent' },
} as const;
