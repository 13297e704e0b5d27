import { ownArguments, type Tool } from '../../protocol/tool.ts';
import { type ShopParts, shopTool } from './shop-tool.ts';

const parameters = ownArguments({
  reason: { type: 'string', minLength: 1, maxLength: 500 },
  summary: {
    type: 'string',
    minLength: 1,
    maxLength: 2_000,
    description: 'What the person must know: who, which order, what was tried',
  },
});

/** `transfer_to_human`: asks for a person of the shop. */
export function transferToHumanTool(parts: ShopParts): Tool {
  return shopTool(parts, {
    name: 'transfer_to_human',
    description:
      'Hands the conversation over to a person of the shop. Only for what you cannot do within your tools and their rules.',
    parameters,
    sideEffect: 'idempotent',
    confirm: false,
    sends: false,
    async answer({ reason, summary }, call) {
      // Without the words: they go with the conversation.
      parts.state.note('handover', '', call);
      if (parts.requestTakeover) {
        const { sessionId, key, principal } = call;
        await parts.requestTakeover({ tenantId: principal.tenantId, sessionId, reason, summary, key });
        return {
          text: 'A person of the shop takes over. Say so, and end your answer: that person reads the conversation and your summary.',
          data: { transferred: true },
        };
      }
      return {
        text: 'NOBODY_THERE: no person of the shop can take over here. Say so plainly, and how the customer reaches the shop.',
        data: { transferred: false },
      };
    },
  });
}
