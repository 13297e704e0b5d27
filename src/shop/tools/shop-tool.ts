import type { ToolContent } from '../../protocol/content.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { defineTool, type Tool, type ToolContext, type ToolDefinition } from '../../protocol/tool.ts';
import { oneLine } from '../../text/wording.ts';
import type { Money } from '../money.ts';
import { ShopDenied } from '../rules/denied.ts';
import type { ShopApi, ShopOperation, ShopWrite } from '../shop-api.ts';
import type { ShopState } from '../state/shop-state.ts';

/** What the tools of a shop work with. */
export interface ShopParts {
  api: ShopApi;
  /** What it can be asked for; undefined: everything. */
  offers?: ReadonlySet<ShopOperation> | undefined;
  state: ShopState;
  /** ISO 4217: amounts of the model are in it. */
  currency(tenant: number): string;
  /** Changes of orders above it need staff; null: none does. */
  staffAbove: Money | null;
  /** Calls a person of the shop into a conversation; undefined where nobody can come. */
  requestTakeover?: RequestTakeover | undefined;
}

export function offers(parts: Pick<ShopParts, 'offers'>, operation: ShopOperation): boolean {
  return parts.offers?.has(operation) ?? true;
}

/** `key`: a second request with it does nothing. */
export type RequestTakeover = (asked: {
  tenantId: number;
  sessionId: string;
  reason: string;
  summary: string;
  key: string;
}) => Promise<unknown>;

/** What a tool answers: a few words for the model, and all of it for screens. */
export interface ShopAnswer {
  text: string;
  data: object;
}

type Definition<Args> = Omit<ToolDefinition<Args>, 'run'> & {
  answer(args: Args, call: ShopWrite): Promise<ShopAnswer>;
};

/** A tool of the shop. What a rule denies is a result that the model reads. */
export function shopTool<Args>({ state }: ShopParts, { answer, ...definition }: Definition<Args>): Tool {
  return defineTool<Args>({
    ...definition,
    async run(args, ctx): Promise<ToolContent> {
      const call = writeOf(ctx);
      state.note('call', definition.name, call);
      try {
        const { text, data } = await answer(args, call);
        return { content: [{ type: 'text', text }], structuredContent: data as JsonObject };
      } catch (error) {
        if (!(error instanceof ShopDenied)) throw error;
        const { code, message } = error;
        state.note('denied', code, call);
        return {
          content: [{ type: 'text', text: `${code}: ${message}` }],
          structuredContent: { denied: code, message },
        };
      }
    },
  });
}

function writeOf({ principal, sessionId, signal, idempotencyKey, runId, callId }: ToolContext): ShopWrite {
  return { principal, sessionId, signal, key: idempotencyKey, runId, callId };
}

/** Words of the shop's data on one line, so that a name cannot look like a line of ours. */
export function named(text: string): string {
  return oneLine(text, 120);
}
