import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import * as z from 'zod';
import { type Detent, type DetentOptions, defineTool, type ToolDefinition } from '../../src/index.ts';
import type { ChatModel } from '../../src/protocol/ports/chat-model.ts';
import { compose } from '../../src/runtime/compose.ts';
import type { Core } from '../../src/runtime/config/core.ts';
import { createDetent } from '../../src/runtime/create-detent.ts';
import { type ScriptedModel, type ScriptLine, scriptedModel } from '../../src/testing/index.ts';
import { expectReplays } from './left-behind.ts';

/** A fresh folder that is gone after the test. */
export async function temporaryWorkspace(): Promise<string> {
  return freshFolder();
}

function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'detent-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

interface Scripted {
  detent: Detent;
  model: ScriptedModel;
  workspace: string;
}

/** A Detent in a fresh workspace whose model follows a script; closed after the test. */
export async function scripted(
  script: readonly ScriptLine[],
  options: DetentOptions = {},
): Promise<Scripted> {
  const model = scriptedModel(script);
  const workspace = options.workspace ?? (await temporaryWorkspace());
  return { detent: withModel(model, { ...options, workspace }), model, workspace };
}

/** Options for a Detent without a database file whose model is given. */
export function modelOptions(model: ChatModel, options: DetentOptions = {}): DetentOptions {
  return {
    store: 'in-process',
    env: {},
    model: 'test/script',
    // Memory files and what tools write must not land in this repository.
    ...(options.workspace === undefined && { workspace: freshFolder() }),
    ...options,
    models: { test: model, ...options.models },
  };
}

export function withModel(model: ChatModel, options: DetentOptions = {}): Detent {
  const detent = createDetent(modelOptions(model, options));
  onTestFinished(async () => {
    await expectReplays(detent);
    await detent.close();
  });
  return detent;
}

/** Everything behind a Detent, for tests that look at rows. */
export async function coreWith(model: ChatModel, options: DetentOptions = {}): Promise<Core> {
  const core = await compose(modelOptions(model, options));
  onTestFinished(() => core.close());
  return core;
}

/** A tool without arguments that matter. */
export function tool(name: string, over: Partial<ToolDefinition<Record<string, unknown>>> = {}) {
  const parameters = z.looseObject({}) as never;
  return defineTool({
    name,
    description: name,
    parameters,
    sideEffect: 'readonly',
    run: () => 'ok',
    ...over,
  });
}

/** A gate: code under test waits at it, and the test opens it. */
export function gate() {
  const arrived = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  return {
    /** Resolves when code waits at the gate. */
    reached: arrived.promise,
    open: () => opened.resolve(),
    pass: (signal?: AbortSignal) => {
      arrived.resolve();
      signal?.addEventListener('abort', () => opened.resolve(), { once: true });
      return opened.promise;
    },
  };
}
