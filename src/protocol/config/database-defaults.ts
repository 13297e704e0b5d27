/** Apart from the schema of the fields, so that opening a database loads no schema. */
export const databaseDefaults = {
  file: '.detent/detent.db',
  synchronous: 'FULL',
  groupCommit: true,
} as const;
