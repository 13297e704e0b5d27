import type { EventBus } from '../../engine/bus.ts';
import type { OutputSchemas } from '../../protocol/ports.ts';
import type { ToolSchema } from '../../protocol/tool.ts';
import { checkOutput, outputJsonSchema, type SchemaCheck, standardSchema } from '../../tools/registry.ts';
import type { DetentOptions } from '../config/detent-options.ts';

/** Keeps the schema objects of requests, and finds those of agents in the configuration. */
export function openOutputs(
  { agents = {} }: Pick<DetentOptions, 'agents'>,
  bus: EventBus,
  schemaIssues: SchemaCheck,
): OutputSchemas {
  const kept = new Map<string, ToolSchema<unknown>>();
  /** The agent's own schema, if the run has it from there. After a restart the schema of a request is gone. */
  const ofAgent = (name: string | undefined, printed: string): ToolSchema<unknown> | null => {
    const output = name !== undefined && Object.hasOwn(agents, name) ? agents[name]?.output : undefined;
    const standard = standardSchema(output);
    return standard && JSON.stringify(outputJsonSchema(standard)) === printed ? standard : null;
  };
  return {
    keep(runId, schema) {
      const standard = standardSchema(schema);
      if (!standard) return () => {};
      kept.set(runId, standard);
      const forget = () => {
        kept.delete(runId);
        stop();
      };
      const stop = bus.listen(runId, (signal) => {
        if (signal.type === 'transition' && signal.ended === true) forget();
      });
      return forget;
    },
    check: (run, schema, text) =>
      checkOutput(schema, kept.get(run.id) ?? ofAgent(run.agent, JSON.stringify(schema)), text, {
        owner: run.owner,
        schemaIssues,
      }),
  };
}
