import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    pool: 'forks',
    testTimeout: 20_000,
    projects: [
      {
        extends: true,
        test: { name: 'unit', include: ['test/**/*.test.ts'], exclude: ['test/{crash,model-based}/**'] },
      },
      {
        extends: true,
        test: { name: 'model-based', include: ['test/model-based/**/*.test.ts'], testTimeout: 300_000 },
      },
      {
        extends: true,
        test: {
          name: 'crash',
          include: ['test/crash/**/*.test.ts'],
          testTimeout: 900_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
