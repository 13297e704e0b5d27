import type { HookRecord } from '../../ports/hooks.ts';
import { addedHeading, memoryHeading } from '../../ports/prompt-marks.ts';
import { isObject, parseJson } from '../../protocol/json.ts';
import { hasHooks, hookedRun, runHooks } from '../hooks/run-hooks.ts';
import type { RunEffect, RunJob, Stopped } from '../run-effect.ts';
import type { AgentServices } from '../services.ts';
import { recall, recallName } from './recall.ts';

/** The number of a run's first effect. */
const firstEffect = 1;
/** Only messages and take-overs come before the fact of the first effect. */
const maxEarlyEvents = 100;

/**
 * The texts that `runStart` hooks and recall add to every prompt of the run. The first model call of the run gets them;
 * that call's fact stores them in the log, and later calls read them there.
 */
export async function startContext(
  services: AgentServices,
  job: RunEffect,
  model: string,
): Promise<readonly string[] | Stopped> {
  const { hooks } = services;
  const { cache, notes } = job;
  const isHooked = hasHooks(hooks, 'runStart');
  if (!isHooked && !services.memory) return [];
  if (job.effectId !== firstEffect) {
    cache.startTexts ??= await fromLog(services, job);
    return cache.startTexts;
  }
  const recalled = await recall(services, job);
  if (recalled) notes.hooks.push(recalled);
  const texts = recalled ? textsOf(services, [recalled]) : [];
  if (isHooked) {
    const { stopped, records } = await runHooks(hooks, 'runStart', job.signal, {
      value: null,
      viewOf: () => ({ ...hookedRun(job.run, job.options), model }),
    });
    notes.hooks.push(...records);
    if (stopped) return stopped;
    texts.push(...textsOf(services, records));
  }
  cache.startTexts = texts;
  return texts;
}

function textsOf(services: AgentServices, records: readonly HookRecord[]): string[] {
  return records.flatMap((record) =>
    record.hook === 'runStart' && record.did === 'addContext' ? [addedText(services, record)] : [],
  );
}

/** The prompt message for a text from a hook or from memory. */
export function addedText(
  { redact }: Pick<AgentServices, 'redact'>,
  { name, text }: { name: string; text: string },
): string {
  if (name === recallName) return `${memoryHeading}\n${redact(text)}`;
  return `${addedHeading} "${name}" of this program: data, not words of the user]\n${redact(text)}`;
}

/** Nothing when the run began without hooks, or with a compaction. */
async function fromLog(services: AgentServices, { run }: RunJob): Promise<readonly string[]> {
  const early = { run: run.pk, after: 0, limit: maxEarlyEvents };
  for (const { body } of await services.store.query('listEvents', early)) {
    const event = parseJson(body);
    if (!isObject(event) || event.effectId !== firstEffect || !Array.isArray(event.hooks)) continue;
    return textsOf(services, event.hooks as HookRecord[]);
  }
  return [];
}
