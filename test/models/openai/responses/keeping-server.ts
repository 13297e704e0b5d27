import { type Loopback, type RecordedRequest, serve } from '../../support/loopback.ts';

type Fields = Record<string, unknown>;

export interface KeepingServer extends Loopback {
  /** The bodies that came. */
  bodies: Fields[];
  /** Of each answered request, what the model was given: the whole conversation, without instructions. */
  contexts: Fields[][];
  /** Forgets every response. */
  forget(): void;
}

/**
 * A Responses server that stores what `store` asks for, and refuses as OpenAI does: an unknown response, a call without its
 * output, an output without its call, a setting that is not there.
 *
 * @param outputs what it answers, one output a request
 */
export async function keepResponses(outputs: Fields[][]): Promise<KeepingServer> {
  const kept = new Map<string, Fields[]>();
  const bodies: Fields[] = [];
  const contexts: Fields[][] = [];
  const loopback = await serve((response, request: RecordedRequest) => {
    const body = JSON.parse(request.body) as Fields;
    bodies.push(body);
    const refuse = (status: number, error: Fields) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { type: 'invalid_request_error', ...error } }));
    };
    const previous = body.previous_response_id as string | undefined;
    const before = previous === undefined ? [] : kept.get(previous);
    if (!before)
      return refuse(400, {
        code: 'previous_response_not_found',
        param: 'previous_response_id',
        message: `Previous response with id '${previous}' not found.`,
      });
    const context = [...before, ...(body.input as Fields[])];
    const complaint = complaintAbout(context);
    if (complaint) return refuse(400, { message: complaint, param: 'input', code: null });
    const output = outputs[contexts.length] ?? [];
    const id = `resp_${contexts.length + 1}`;
    contexts.push(context);
    if (body.store !== false) kept.set(id, [...context, ...output]);
    const whole = {
      id,
      object: 'response',
      status: 'completed',
      model: body.model,
      store: body.store,
      output,
    };
    response.end(`data: ${JSON.stringify({ type: 'response.completed', response: whole })}\n\n`);
  });
  return { ...loopback, bodies, contexts, forget: () => kept.clear() };
}

function complaintAbout(context: Fields[]): string | undefined {
  const waiting = new Set<unknown>();
  for (const item of context) {
    if (item.type === 'function_call') waiting.add(item.call_id);
    if (item.type !== 'function_call_output') continue;
    if (!waiting.delete(item.call_id))
      return `No tool call found for function call output with call_id ${item.call_id}.`;
  }
  const [missing] = waiting;
  return missing === undefined ? undefined : `No tool output found for function call ${missing}.`;
}
