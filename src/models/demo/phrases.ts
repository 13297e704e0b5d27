import type { Bilingual } from './language.ts';

/** The first words of every conversation. The demo also searches for them, to know whether it has introduced itself. */
export const introduction: Bilingual = {
  en: "I am Detent's built-in demo, not a language model: I follow a few fixed rules and call real tools.",
  zh: '我是 Detent 内置的演示程序，不是语言模型：我只按几条固定的规则调用真实的工具。',
};

const en = {
  calling: (tools: string) => `Calling ${tools}.`,
  greeting: 'Hello!',
  canDo: 'I understand only sentences of these forms, one in a message:',
  call: 'call NAME {"argument": "value"} (any tool, such as your own)',
  tour: 'show me how you work (a tour of one run)',
  noTools: 'None of the tools that I know is offered here, so there is nothing I can do.',
  cannotAnswer: 'I cannot answer that.',
  configure:
    'For real answers, configure a model: set OPENAI_API_KEY, or start with --base-url and --model ' +
    '(Ollama: --model ollama/qwen3).',
  missing: (tools: string) => `Not done: the tool ${tools} is not offered in this run.`,
  rejected: (tool: string, text: string) => `The call of ${tool} was rejected, so I leave it: ${text}`,
  failed: (tool: string, text: string) => `${tool} did not succeed, and I do not retry: ${text}`,
  unseen: (attachments: string) => `This came with your message, and I cannot look into it: ${attachments}.`,
  cut: '… (cut here)',
  nothing: '(nothing)',
  askedBefore: 'The user asked:',
};

const zh: typeof en = {
  calling: (tools) => `正在调用 ${tools}。`,
  greeting: '你好！',
  canDo: '我只看得懂下面这几种句子，每条消息一句：',
  call: '调用 NAME {"参数": "值"}（任何工具，比如你自己的）',
  tour: '让我看看你是怎么工作的（一次运行的导览）',
  noTools: '这里没有提供我认识的工具，所以我什么也做不了。',
  cannotAnswer: '这个我回答不了。',
  configure:
    '要得到真正的回答，请配置一个模型：设置 OPENAI_API_KEY，或在启动时加上 --base-url 和 --model' +
    '（Ollama：--model ollama/qwen3）。',
  missing: (tools) => `没有执行：本次运行没有提供工具 ${tools}。`,
  rejected: (tool, text) => `对 ${tool} 的调用被拒绝了，我不再继续：${text}`,
  failed: (tool, text) => `${tool} 没有成功，我不会重试：${text}`,
  unseen: (attachments) => `随消息附带的内容我无法查看：${attachments}。`,
  cut: '…（以下省略）',
  nothing: '（无）',
  askedBefore: '用户问过：',
};

/** All that the demo says, except what comes from tools and forms. */
export const phrases = { en, zh };
