import { onTestFinished } from 'vitest';
import { createDetent, type Detent, type DetentOptions } from '../../src/index.ts';
import type { ModelRequest } from '../../src/protocol/ports/chat-model.ts';
import { isWorkflowView, type WorkflowRunView } from '../../src/protocol/views.ts';
import { type FakeClock, fakeClock, type ScriptedAnswer, scriptedModel } from '../../src/testing/index.ts';
import type { Workflow } from '../../src/workflow/workflow.ts';
import { temporaryWorkspace } from '../support/detent.ts';
import { expectReplays } from '../support/left-behind.ts';

export const day = 86_400_000;

/** A program that runs one workflow on SQLite, and that may end and begin again, while a clock stands still between `advance`s. */
export class Program {
  readonly clock: FakeClock = fakeClock();
  readonly #options: DetentOptions;
  #detent: Detent;

  private constructor(options: DetentOptions) {
    this.#options = { ...options, clock: this.clock };
    this.#detent = createDetent(this.#options);
    onTestFinished(async () => {
      await expectReplays(this.#detent);
      await this.#detent.close();
    });
  }

  /** @param answer of the model, to the last message of a request */
  static async of(
    workflow: Workflow,
    answer: (prompt: string, request: ModelRequest) => ScriptedAnswer = () => ({ text: 'well' }),
    options: DetentOptions = {},
  ): Promise<Program> {
    const model = scriptedModel(
      Array.from({ length: 100 }, () => (request) => answer(request.messages.at(-1)?.text ?? '', request)),
    );
    return new Program({
      env: {},
      workspace: await temporaryWorkspace(),
      model: 'test/script',
      models: { test: model },
      workflows: [workflow],
      ...options,
    });
  }

  get detent(): Detent {
    return this.#detent;
  }

  async start(workflow: string, input: unknown): Promise<string> {
    const { started } = this.#detent.workflows.start(workflow, input);
    return started;
  }

  /** The process ends, and another one takes over what it left. */
  async restart(): Promise<void> {
    await expectReplays(this.#detent);
    await this.#detent.close();
    this.#detent = createDetent(this.#options);
    await this.#detent.runs.resume();
  }

  /** The run as soon as it has ended, or waits for people, events and the clock alone. */
  async atRest(runId: string): Promise<WorkflowRunView> {
    const view = await this.#detent.runs.attach(runId).result;
    if (isWorkflowView(view)) return view;
    throw new Error(`${runId} is no run of a workflow`);
  }

  async stateOf(runId: string): Promise<unknown> {
    return (await this.atRest(runId)).workflow.state;
  }

  async outputOf(runId: string): Promise<unknown> {
    const { status, workflow, error } = await this.atRest(runId);
    return status === 'done' ? workflow.output : { status, state: workflow.state, error };
  }
}
