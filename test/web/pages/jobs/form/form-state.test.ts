import { describe, expect, it } from 'vitest';
import type { JobView } from '../../../../../src/protocol/views.ts';
import { fieldOf, missingOf } from '../../../../../web/src/pages/jobs/form/form-errors.ts';
import { changeOf, inputOf, scheduleOf } from '../../../../../web/src/pages/jobs/form/form-input.ts';
import { emptyForm, formOf } from '../../../../../web/src/pages/jobs/form/form-state.ts';
import { localMoment } from '../../../../../web/src/pages/jobs/form/written.ts';

const zone = 'Europe/Berlin';

const job: JobView = {
  jobId: 'daily',
  state: 'scheduled',
  why: null,
  cause: null,
  words: 'at 09:00, every day (Europe/Berlin)',
  parts: null,
  next: [],
  last: null,
  current: null,
  queued: 0,
  failures: 0,
  undelivered: 0,
  lost: 0,
  isAttended: true,
  sessionId: 'cron:daily',
  userId: null,
  isTainted: false,
  source: 'user',
  jobRunId: 'run_1',
  createdAt: 0,
  updatedAt: 0,
  schedule: { kind: 'cron', expression: '0 9 * * *', dialect: 'unix', timeZone: zone },
  prompt: 'Sum up.',
  agent: null,
  model: null,
  skill: 'summary',
  deliver: [{ kind: 'session', session: 'shop' }],
  misfire: 'once',
  graceMs: 60_000,
  windowMs: null,
  overlap: 'skip',
  jitterMs: 0,
  pauseAfter: null,
  alertAfter: null,
  alert: [],
  keep: 100,
  limits: { maxSteps: 5, maxErrors: 2 },
  budget: null,
  attempts: 8,
};

describe('a new job', () => {
  it('is sent with what was written alone, so that defaults stay the gateway’s', () => {
    const form = { ...emptyForm(zone), jobId: ' daily ', prompt: 'Sum up.' };
    expect(inputOf(form)).toEqual({
      jobId: 'daily',
      cron: '0 9 * * *',
      timeZone: zone,
      prompt: 'Sum up.',
    });
  });

  it('has what was changed', () => {
    const form = {
      ...emptyForm(zone),
      jobId: 'daily',
      kind: 'every' as const,
      every: '15m',
      prompt: 'x',
      deliver: [{ kind: 'webhook' as const, value: 'https://a.example/x', secretEnv: 'KEY' }],
      window: '',
      maxCostUsd: '0.5',
      timeout: '1h30m',
    };
    expect(inputOf(form)).toEqual({
      jobId: 'daily',
      every: '15m',
      prompt: 'x',
      delivery: [{ kind: 'webhook', url: 'https://a.example/x', secretEnv: 'KEY' }],
      window: null,
      limits: { maxCostUsd: 0.5, timeoutMs: 5_400_000 },
    });
  });
});

describe('a change', () => {
  const begun = formOf(job, zone);

  it('of nothing is empty', () => {
    expect(changeOf(begun, begun)).toEqual({});
  });

  it('has only the fields that differ, and null for what was emptied', () => {
    expect(changeOf({ ...begun, prompt: 'Go.', skill: '', window: '2d' }, begun)).toEqual({
      prompt: 'Go.',
      skill: null,
      window: '2d',
    });
  });

  it('keeps limits that the form has no field for', () => {
    expect(changeOf({ ...begun, maxSteps: '' }, begun)).toEqual({ limits: { maxErrors: 2 } });
  });

  it('has what is no number as it was written, for the gateway to refuse: null would lift the bound', () => {
    const change = changeOf({ ...begun, pauseAfter: 'often', maxCostUsd: 'much' }, begun);
    expect(change).toMatchObject({ pauseAfter: 'often', limits: { maxCostUsd: 'much' } });
  });

  it('of the time has the whole schedule', () => {
    expect(changeOf({ ...begun, timeZone: 'UTC' }, begun)).toEqual({
      cron: '0 9 * * *',
      dialect: 'unix',
      timeZone: 'UTC',
    });
    expect(changeOf({ ...begun, kind: 'every', every: '1h' }, begun)).toEqual({ every: '1h' });
  });
});

describe('a job that starts a workflow', () => {
  const form = { ...emptyForm(zone), jobId: 'digest', work: 'workflow' as const, workflow: 'digest' };
  const { skill: _, limits: __, ...rest } = job;
  const flowJob = {
    ...rest,
    sessionId: null,
    skill: null,
    limits: null,
    prompt: '',
    workflow: 'digest',
    input: { since: 'noon' },
  };
  const begun = formOf(flowJob, zone);

  it('is sent with its input, and with no prompt and no limits of agents', () => {
    const written = {
      ...form,
      input: '{"since": "{{slot}}"}',
      prompt: 'left',
      maxSteps: '3',
      maxTokens: '9',
    };
    expect(inputOf(written)).toEqual({
      jobId: 'digest',
      cron: '0 9 * * *',
      timeZone: zone,
      workflow: 'digest',
      input: { since: '{{slot}}' },
      limits: { maxTokens: 9 },
    });
    expect(inputOf(form)).toMatchObject({ input: null });
  });

  it('is changed by its input alone, and another workflow gets the input that is shown', () => {
    expect(changeOf(begun, begun)).toEqual({});
    expect(changeOf({ ...begun, input: '7' }, begun)).toEqual({ input: 7 });
    expect(changeOf({ ...begun, workflow: 'weekly' }, begun)).toEqual({
      workflow: 'weekly',
      input: { since: 'noon' },
    });
  });

  it('becomes one of an agent, and back', () => {
    expect(changeOf({ ...begun, work: 'prompt', prompt: 'Go.' }, begun)).toEqual({ prompt: 'Go.' });
    const agent = formOf(job, zone);
    expect(changeOf({ ...agent, work: 'workflow', workflow: 'digest' }, agent)).toEqual({
      workflow: 'digest',
      input: null,
      session: null,
      skill: null,
      limits: null,
    });
  });
});

it('reads one time on the reader’s clock, and writes it so', () => {
  const ms = new Date(2026, 11, 24, 18, 0).getTime();
  expect(localMoment(ms)).toBe('2026-12-24T18:00');
  expect(scheduleOf({ ...emptyForm(zone), kind: 'at', at: '2026-12-24T18:00' })).toEqual({ at: ms });
});

it.each([
  ['INVALID_CRON', {}, 'cron'],
  ['INVALID_JOB', { field: 'delivery' }, 'deliver'],
  ['INVALID_JOB', { field: 'grace' }, 'grace'],
  ['INVALID_REQUEST', { problems: [{ field: 'limits.maxSteps' }] }, 'maxSteps'],
  ['INVALID_REQUEST', { problems: [{ field: 'delivery.0.path' }] }, 'deliver'],
  ['JOB_EXISTS', {}, 'jobId'],
  ['UNKNOWN_WORKFLOW', {}, 'workflow'],
  ['INVALID_INPUT', { problems: ['since: expected a text'] }, 'input'],
  ['INVALID_JOB', { field: 'input' }, 'input'],
  ['FORBIDDEN', { missing: ['admin'] }, null],
  ['INVALID_REQUEST', { problems: [{ field: '' }] }, null],
])('%s with %j is shown at the field %s', (code, details, field) => {
  expect(fieldOf({ code, details })).toBe(field);
});

it('says what is missing before the gateway is asked', () => {
  const form = { ...emptyForm(zone), jobId: 'daily', prompt: 'Sum up.' };
  expect(missingOf(form, true)).toBeNull();
  expect(Object.keys(missingOf({ ...form, jobId: ' ' }, true) ?? {})).toEqual(['jobId']);
  expect(missingOf({ ...form, jobId: '' }, false)).toBeNull();
  expect(Object.keys(missingOf({ ...form, prompt: '' }, true) ?? {})).toEqual(['prompt']);
  const flow = { ...form, work: 'workflow' as const, prompt: '' };
  expect(Object.keys(missingOf(flow, true) ?? {})).toEqual(['workflow']);
  expect(missingOf({ ...flow, workflow: 'digest' }, true)).toBeNull();
  expect(Object.keys(missingOf({ ...flow, workflow: 'digest', input: '{' }, true) ?? {})).toEqual(['input']);
});
