import type { ChatModel } from 'detent';
import { ruleModel } from 'detent/testing';

/**
 * Stands in for a language model, so that the example needs no key: it follows a few rules, in English and Chinese, and calls the real
 * tools. It reads what a model reads, and nothing else.
 */
export const standIn: ChatModel = ruleModel(
  ({ messages }) => {
    const { text, call } = next(messages);
    return { text, ...(call && { toolCalls: [{ name: call[0], arguments: call[1] }] }) };
  },
  { pieceMs: 8 },
);

type Messages = Parameters<ChatModel['generate']>[0]['messages'];
interface Step {
  text: string;
  call?: [tool: string, args: object];
}
type Say = (en: string, zh: string) => string;

const hasChinese = (text: string) => /\p{Script=Han}/u.test(text);

function next(messages: Messages): Step {
  // What a person of the shop has said comes as a message of the user's side, under a heading.
  const at = messages.findLastIndex(({ role, text }) => role === 'user' && !text.includes('"from":"staff"'));
  const asked = messages[at]?.text ?? '';
  const say: Say = (en, zh) => (hasChinese(asked) ? zh : en);
  const result = messages.at(-1);
  if (result?.role !== 'tool') return begin(asked, messages.slice(0, at), say);
  const caller = messages.findLast((one) => one.role === 'assistant');
  const given = caller?.role === 'assistant' ? (caller.toolCalls[0]?.arguments ?? '{}') : '{}';
  return after(result, JSON.parse(given), say);
}

/** The items of the last list that a tool showed, in its order. */
function listed(messages: Messages): string[] {
  const last = messages.findLast(({ role, text }) => role === 'tool' && /^\S+ .*\[product \S+\]/m.test(text));
  return [...(last?.text ?? '').matchAll(/^(\S+) .*\[product \S+\]/gm)].map(([, id = '']) => id);
}

const places: readonly RegExp[] = [/\bfirst\b|第一|1st/i, /\bsecond\b|第二|2nd/i, /\bthird\b|第三|3rd/i];

function itemIn(asked: string, messages: Messages): string | undefined {
  const items = listed(messages);
  const named = /\b[a-z]+(?:-[a-z0-9]+)+\b/.exec(asked)?.[0];
  return (
    named ??
    items[
      Math.max(
        0,
        places.findIndex((place) => place.test(asked)),
      )
    ]
  );
}

function begin(asked: string, before: Messages, say: Say): Step {
  const order = /#?W\d+/i.exec(asked)?.[0]?.toUpperCase();
  const item = itemIn(asked, before);
  if (/\b(human|person|staff|someone|colleague)\b|人工|客服|真人/i.test(asked))
    return {
      text: '',
      call: [
        'transfer_to_human',
        {
          reason: say('asks for a person', '要求人工服务'),
          summary: asked.slice(0, 300),
        },
      ],
    };
  if (/\bcancel|取消/i.test(asked) && order)
    return {
      text: say(`I can cancel order ${order}. Please confirm.`, `我可以取消订单 ${order}，请确认。`),
      call: ['order_change', { action: 'cancel', orderId: order, reason: 'no longer needed' }],
    };
  if (/\brefund|money back|退款/i.test(asked) && order)
    return {
      text: say('I will ask the shop to pay it back.', '我会请店家为您退款。'),
      call: ['request_refund', { orderId: order, reason: asked.slice(0, 300) }],
    };
  if (/\bcheck ?out\b|\bpay\b|结账|付款/i.test(asked)) return { text: '', call: ['checkout_link', {}] };
  const price = /\d+(?:\.\d{1,2})?(?=\D*$)/.exec(asked)?.[0];
  if (/\bwatch|tell me when|let me know|降价|提醒/i.test(asked) && item && price)
    return { text: '', call: ['watch_price', { itemId: item, below: Number(price) }] };
  if (/\b(add|put|take|buy)\b|加入|放进|放入|加到/i.test(asked) && item)
    return {
      text: say('With pleasure.', '好的。'),
      call: ['cart_manager', { action: 'add', itemId: item, quantity: 1 }],
    };
  if (/\b(cart|basket)\b|购物车/i.test(asked))
    return { text: '', call: ['cart_manager', { action: 'view' }] };
  if (/\bcompar|比较|对比/i.test(asked)) {
    const compare = listed(before).slice(0, 3);
    if (compare.length > 1) return { text: '', call: ['product_search', { compare }] };
  }
  if (/\border|\brefund|\bcancel|订单|退款|取消/i.test(asked))
    return { text: '', call: ['order_query', order ? { orderId: order } : {}] };
  if (/\brecommend|suggest|推荐/i.test(asked)) return { text: '', call: ['recommend', { count: 4 }] };
  if (/\b(gift|present)\b|礼物|送礼|送人/i.test(asked)) {
    const question = say('How much may it cost?', '您的预算是多少？');
    const options = say('up to ¥100|up to ¥300|it may be more', '100 元以内|300 元以内|不限').split('|');
    return { text: '', call: ['ask_user', { question, options }] };
  }
  if (/^\s*(hi|hello|hey|help|thanks?|thank you|你好|您好|帮助|谢谢)/i.test(asked))
    return { text: help(say) };
  const words = asked.replace(
    /\b(show|find|me|i|want|need|some|a|an|the|please|have|you|do|any|is|there)\b|[?？!！。，,.]|有没有|我想要?|找|看看|请|给我|买/gi,
    ' ',
  );
  const [, most] = /(?:under|below|up to|不超过|低于)\s*¥?(\d+)|(\d+)\s*元?以[内下]/i.exec(asked) ?? [];
  return {
    text: '',
    call: [
      'product_search',
      { words: words.trim() || asked, pageSize: 6, ...(most && { maxPrice: Number(most) }) },
    ],
  };
}

function help(say: Say): string {
  return say(
    'I am a stand-in for a language model: I follow a few rules. Try “show me tea”, “compare them”, “add the first one to my cart”, ' +
      '“my orders”, “refund W1001”, or “I want to talk to a person”.',
    '我是代替语言模型的演示程序，只会几条规则。试试“找茶叶”、“比较一下”、“把第一个加入购物车”、“我的订单”、“W1001 退款”或“转人工客服”。',
  );
}

type Result = Extract<Messages[number], { role: 'tool' }>;

/** What the shop says in English alone. */
const denials: Readonly<Record<string, string>> = {
  CART_EMPTY: '购物车是空的。',
  NOT_FOUND: '没有找到。',
  NOT_AVAILABLE: '这件商品现在缺货。',
  NOT_PENDING: '这个订单已经不能取消或更改了。',
  NOT_DELIVERED: '订单送达之后才能退换。',
  ALREADY_CHANGED: '这个订单已经更改过一次，不能再改了。',
};

function after({ name, text, isError }: Result, args: Record<string, unknown>, say: Say): Step {
  const [, code] = /^([A-Z][A-Z_]+): /.exec(text) ?? [];
  if (code === 'NEEDS_STAFF')
    return {
      text: say('For this amount a person of the shop must agree, too.', '这笔金额还需要店员同意。'),
      call: [name, { ...args, approval: 'staff' }],
    };
  if (code === 'IDENTIFY_FIRST' || (name === 'request_refund' && /logged in/.test(text)))
    return { text: say('Please log in first: the button is at the top.', '请先登录（右上角）。') };
  if (code) {
    const words = text.slice(code.length + 2);
    return { text: say(`The shop says no: ${words}.`, denials[code] ?? `商店不允许这样做（${code}）。`) };
  }
  if (/reject|declin|refus/i.test(text) || isError)
    return { text: say('Then I leave it as it is.', '好的，那就保持不变。') };
  switch (name) {
    case 'ask_user': {
      const maxPrice = /100/.test(text) ? 100 : /300/.test(text) ? 300 : undefined;
      const words = say('gift', '礼物');
      return { text: '', call: ['product_search', { words, pageSize: 4, ...(maxPrice && { maxPrice }) }] };
    }
    case 'product_search':
      if (!text.includes('[product'))
        return { text: say('I found nothing that fits.', '没有找到合适的商品。') };
      return {
        text: args.compare
          ? say('Side by side. The price and the rating differ most.', '放在一起比较：差别主要在价格和评分。')
          : say(
              'This is what fits. Shall I compare some, or put one into your cart?',
              '这些比较合适。需要比较，还是加入购物车？',
            ),
      };
    case 'recommend':
      return { text: say('These go well with what you bought.', '这些和您买过的很搭。') };
    case 'cart_manager':
      return { text: say('This is your cart now.', '这是您现在的购物车。') };
    case 'checkout_link':
      return { text: say('You pay here, on the page of the shop.', '请在商店页面付款。') };
    case 'order_query':
      return { text: say('These are your orders.', '这是您的订单。') };
    case 'order_change':
      return { text: say('Done: the shop has changed your order.', '已完成：订单已更改。') };
    case 'request_refund':
      return {
        text: say(
          'A person of the shop decides about your refund. If nobody decides in time, nothing is paid back and your order stays as it is; then ask again.',
          '店员会处理您的退款申请。如果到期无人处理，将不会退款，订单保持不变，您可以再次申请。',
        ),
      };
    case 'watch_price':
      return { text: say('I watch the price, and tell you here.', '我会关注价格，降价时在这里告诉您。') };
    case 'transfer_to_human':
      return {
        text: say(
          'A person of the shop will be with you. They read what we said.',
          '店员马上就来，他会看到我们的对话。',
        ),
      };
    default:
      return { text };
  }
}
