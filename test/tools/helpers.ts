import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import * as z from 'zod';
import type { PlanContext, Toolbox, ToolOutcome } from '../../src/protocol/ports/toolbox.ts';
import { defineTool, type Tool, type ToolContext, type ToolDefinition } from '../../src/protocol/tool.ts';
import { createToolbox } from '../../src/tools/toolbox.ts';

/** A fresh folder, by its real path, that is gone after the test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'detent-tools-')));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export function toolContext(over: Partial<ToolContext> = {}): ToolContext {
  return {
    runId: 'run-1',
    sessionId: 'session-1',
    callId: 'call-1',
    idempotencyKey: 'run-1:1',
    principal: { tenantId: 1, userId: null, claims: {} },
    workspace: '/nowhere',
    signal: new AbortController().signal,
    charge() {},
    log() {},
    progress() {},
    ...over,
  };
}

export function planContext(over: Partial<PlanContext> = {}): PlanContext {
  return {
    runId: 'run-1',
    sessionId: 'session-1',
    allowed: null,
    approve: 'ask',
    approveGiven: false,
    workspace: '/nowhere',
    ...over,
  };
}

/** A tool that takes nothing and does nothing, but for what is given. */
export function fakeTool(over: Partial<ToolDefinition<Record<string, never>>> = {}): Tool {
  return defineTool({
    name: 'fake',
    description: 'A tool.',
    parameters: z.strictObject({}),
    sideEffect: 'readonly',
    run: () => 'ok',
    ...over,
  });
}

export function toolboxOf(...tools: Tool[]): Toolbox {
  return createToolbox({ tools, allowed: null });
}

/** Calls one tool as the agent would: arguments as JSON, through a toolbox. */
export function callTool(tool: Tool, args: unknown, ctx: Partial<ToolContext> = {}): Promise<ToolOutcome> {
  return toolboxOf(tool).run(tool.name, JSON.stringify(args), toolContext(ctx));
}

export function probe(tool: Tool, args: unknown, ctx: Partial<ToolContext> = {}) {
  return toolboxOf(tool).status(tool.name, JSON.stringify(args), toolContext(ctx));
}
