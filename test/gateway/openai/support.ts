import OpenAI from 'openai';
import type { ServeOptions } from '../../../src/gateway/gateway.ts';
import type { DetentOptions } from '../../../src/index.ts';
import type { ScriptedModel, ScriptLine } from '../../../src/testing/index.ts';
import { scriptedModel } from '../../../src/testing/index.ts';
import { withModel } from '../../support/detent.ts';
import { type Served, serve } from '../support.ts';

export interface ServedToOpenAi extends Served {
  /** The unmodified SDK, with a token of all scopes. */
  client: OpenAI;
  model: ScriptedModel;
  clientWith(token: string): OpenAI;
}

/** A gateway over a Detent whose model follows a script, and OpenAI's SDK before it. */
export async function servedToOpenAi(
  script: readonly ScriptLine[],
  options: DetentOptions = {},
  gatewayOptions: ServeOptions = {},
): Promise<ServedToOpenAi> {
  const model = scriptedModel(script);
  const served = await serve(withModel(model, options), gatewayOptions);
  const clientWith = (apiKey: string) => new OpenAI({ baseURL: `${served.url}/v1`, apiKey });
  return { ...served, model, clientWith, client: clientWith(await served.token()) };
}

/** The error that a promise is rejected with. */
export async function refused(promise: PromiseLike<unknown>): Promise<InstanceType<typeof OpenAI.APIError>> {
  const error = await Promise.resolve(promise).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (error instanceof OpenAI.APIError) return error;
  throw new Error(`not refused by the interface: ${String(error)}`);
}
