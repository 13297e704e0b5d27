import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { assign, setup } from 'xstate';
import { pageBytes } from '../../../src/engine/log/read-log.ts';
import type { Detent } from '../../../src/index.ts';
import { createDetent } from '../../../src/runtime/create-detent.ts';
import { openInMemory } from '../../../src/store/sql/in-memory.ts';
import { workflow } from '../../../src/workflow/index.ts';
import { countingStore, type Read } from '../../support/counting-store.ts';

const noteChars = 60_000;
const notes = 40;

const notebook = workflow(
  setup({
    types: { events: {} as { type: 'note'; text: string }, context: {} as { last: string } },
    actions: { keep: assign({ last: (_, { text }: { text: string }) => text }) },
  }).createMachine({
    id: 'notebook',
    version: '1',
    context: { last: '' },
    on: { note: { actions: { type: 'keep', params: ({ event }) => ({ text: event.text }) } } },
  }),
);

/** The same with an action of its own: what it is called with is in the rows of its effects. */
const teller = workflow(
  setup({
    types: { events: {} as { type: 'note'; text: string } },
    actions: { tell: (_, _params: { text: string }) => {} },
  }).createMachine({
    id: 'teller',
    version: '1',
    on: { note: { actions: { type: 'tell', params: ({ event }) => ({ text: event.text }) } } },
    after: { 604800000: {} },
  }),
);

/** A log of 2.4 MB: ten pages. */
const logChars = noteChars * notes;

describe('a long log', () => {
  let detent: Detent;
  let read: Read;
  let runId: string;
  let telling: string;

  beforeAll(async () => {
    const counted = countingStore(openInMemory());
    read = counted.read;
    const workspace = mkdtempSync(join(tmpdir(), 'detent-test-'));
    detent = createDetent({ workspace, env: {}, store: counted.store, workflows: [notebook, teller] });
    const run = detent.workflows.start('notebook');
    runId = run.runId;
    await run.started;
    for (let i = 0; i < notes; i++)
      await detent.workflows.send(runId, { type: 'note', text: String(i % 10).repeat(noteChars) });
    telling = (await detent.workflows.start('teller').result).runId;
    for (let i = 0; i < notes; i++)
      await detent.workflows.send(telling, { type: 'note', text: String(i % 10).repeat(noteChars) });
    return async () => {
      await detent.close();
      rmSync(workspace, { recursive: true, force: true });
    };
  });

  /** What a reading reads of the log: all of it, and the largest part at once; and how often others had their turn meanwhile. */
  async function readBy(reading: () => Promise<unknown>) {
    read.pages.length = 0;
    let turns = 0;
    let isOver = false;
    onTestFinished(() => {
      isOver = true;
    });
    const turn = () => {
      turns++;
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    await reading();
    isOver = true;
    return { all: read.pages.reduce((sum, page) => sum + page, 0), page: Math.max(0, ...read.pages), turns };
  }

  const drained = async (items: AsyncIterable<unknown>) => {
    for await (const _ of items);
  };

  it.each<[name: string, read: () => Promise<unknown>]>([
    ['log', () => drained(detent.runs.readEvents(runId))],
    ['timeline', () => drained(detent.runs.readTimeline(runId))],
    ['view', () => detent.runs.show(runId)],
    ['replay', () => detent.runs.replay(runId)],
    ['why', () => detent.runs.why(runId)],
    ['diff', () => detent.runs.diff(runId, runId)],
    ['moment at its end', () => detent.runs.at(runId, notes)],
    ['trace to its end', () => detent.runs.trace(runId, { afterSeq: notes + 1 })],
    ['export', async () => drained(detent.sessions.export((await detent.runs.show(runId)).sessionId))],
  ])('is read page by page for its %s, and others have their turns', async (_, reading) => {
    const { page, turns } = await readBy(reading);
    expect(page).toBeLessThan(pageBytes + 2 * noteChars);
    expect(turns).toBeGreaterThanOrEqual(6);
  });

  it.each<[name: string, read: () => Promise<unknown>]>([
    ['log', () => drained(detent.runs.readEvents(telling))],
    ['view', () => detent.runs.show(telling)],
    ['why', () => detent.runs.why(telling)],
    ['trace', () => detent.runs.trace(telling, { afterSeq: 0, limit: 1 })],
  ])(
    'is read page by page for its %s, when the large part is what its actions are called with',
    async (_, reading) => {
      const { page, turns } = await readBy(reading);
      expect(page).toBeLessThan(pageBytes + 2 * noteChars);
      expect(turns).toBeGreaterThanOrEqual(6);
    },
  );

  it.each<[name: string, read: () => Promise<unknown>]>([
    ['the end of its log', () => drained(detent.runs.readEvents(runId, notes))],
    ['the end of its timeline', () => drained(detent.runs.readTimeline(runId, notes))],
    ['an early moment', () => detent.runs.at(runId, 1)],
    ['a fork of its beginning', () => detent.runs.forkPreview(runId, { at: 1 })],
    [
      'a part of its log',
      async () => {
        for await (const { seq } of detent.runs.readEvents(runId)) if (seq === 2) break;
      },
    ],
  ])('is not read as a whole for %s', async (_, reading) => {
    const { all } = await readBy(reading);
    expect(all).toBeLessThan(logChars / 5);
  });

  it('is folded as far as the answer needs, and on from there', async () => {
    const first = await readBy(() => detent.runs.trace(runId, { afterSeq: 0, limit: 1 }));
    expect(first.all).toBeLessThan(logChars / 5);
    const { transitions, lastSeq } = await detent.runs.trace(runId, { afterSeq: 0, limit: 2 });
    expect([transitions.map(({ seq }) => seq), lastSeq]).toEqual([[1, 2], notes + 1]);
    // To its end, and from there on nothing is folded again.
    const end = await detent.runs.trace(runId, { afterSeq: notes + 1 });
    expect([end.transitions, end.agrees]).toEqual([[], notes + 1]);
    const again = await readBy(() => detent.runs.trace(runId, { afterSeq: notes }));
    expect(again.all).toBe(0);
  });
});
