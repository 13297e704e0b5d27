import { expect, it, onTestFinished } from 'vitest';
import type { Logger } from '../../src/index.ts';
import { createScheduler } from '../../src/schedule/index.ts';
import { scripted } from '../support/detent.ts';

it('the log tells of a job by its slots, without the words of its runs', async () => {
  const lines: Record<string, unknown>[] = [];
  const keep = (level: string) => (fields: object, message: string) =>
    void lines.push({ level, message, ...structuredClone(fields) });
  const logger: Logger = { error: keep('error'), warn: keep('warn'), info: keep('info'), debug: () => {} };
  logger.isLevelEnabled = (level) => level !== 'debug';
  const broken = { error: { code: 'auth', message: 'no such key', retryable: false } } as const;
  const { detent } = await scripted([{ text: 'the sea is calm' }, broken], { logger });
  const scheduler = createScheduler(detent);
  onTestFinished(() => scheduler.close());
  await scheduler.start();
  await scheduler.add({ jobId: 'sea', every: '1h', prompt: 'How is the sea?', pauseAfter: 1 });
  for (const ended of [1, 2]) {
    await scheduler.run('sea');
    while ((await scheduler.history('sea')).filter(({ endedAt }) => endedAt !== null).length < ended)
      await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await scheduler.resume('sea');
  const told = lines.filter(({ jobId }) => jobId === 'sea');
  expect(told.map(({ level, message, status }) => [level, message, status])).toEqual([
    ['info', 'job changed', undefined],
    ['info', 'slot began', undefined],
    ['info', 'slot ended', 'ok'],
    ['info', 'job changed', undefined],
    ['info', 'slot began', undefined],
    ['warn', 'slot ended', 'failed'],
    ['warn', 'job paused', undefined],
    ['info', 'job changed', undefined],
  ]);
  expect(JSON.stringify(lines)).not.toMatch(/sea is calm|How is the sea|u0001/);
});
