/** The flags that every bench takes, for `parseArgs`. */
export const commonFlags = {
  quick: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;
