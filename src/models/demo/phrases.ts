import type { Bilingual, Language } from './language.ts';

/** The first words of every conversation. The demo also searches for them, to know whether it has introduced itself. */
export const introduction: Bilingual = {
  en: "I am Detent's built-in demo, not a language model: I follow a few fixed rules and call real tools.",
  zh: '我是 Detent 内置的演示程序，不是语言模型：我只按几条固定的规则调用真实的工具。',
};

interface Phrases {
  calling(tools: string): string;
  greeting: string;
  welcome: string;
  canDo: string;
  tour: string;
  noTools: string;
  cannotAnswer: string;
  tooLong(limit: number): string;
  configure: string;
  notUnderstood(clauses: string): string;
  missing(tools: string): string;
  withheld(tools: string): string;
  rejected(tool: string, text: string): string;
  failed(tool: string, text: string): string;
  stopped(tools: string): string;
  unseen(attachments: string): string;
  cut: string;
  nothing: string;
  askedBefore: string;
  leftOut(count: number): string;
}

/** All that the demo says, except what comes from tools and rules. */
export const phrases: Readonly<Record<Language, Phrases>> = {
  en: {
    calling: (tools) => `Calling ${tools}.`,
    greeting: 'Hello!',
    welcome: 'You are welcome.',
    canDo: 'Try for example:',
    tour: 'show me how you work (a tour of one run)',
    noTools: 'None of the tools that I know is offered here, so there is nothing I can do.',
    cannotAnswer: 'I cannot answer that.',
    tooLong: (limit) => `I cannot answer that: I read messages of at most ${limit} characters.`,
    configure:
      'For real answers, configure a model: set OPENAI_API_KEY, or start with --base-url and --model ' +
      '(Ollama: --model ollama/qwen3).',
    notUnderstood: (clauses) => `This I did not understand: ${clauses}.`,
    missing: (tools) => `Not done: the tool ${tools} is not offered in this run.`,
    withheld: (tools) =>
      `I understood only part of your message, so I did not call ${tools}, which changes files. Ask for that alone.`,
    rejected: (tool, text) => `The call of ${tool} was rejected, so I leave it: ${text}`,
    failed: (tool, text) => `${tool} did not succeed, and I do not retry: ${text}`,
    stopped: (tools) => `I did not go on with ${tools}, which needs the complete result of the step before.`,
    unseen: (attachments) => `This came with your message, and I cannot look into it: ${attachments}.`,
    cut: '… (cut here)',
    nothing: '(nothing)',
    askedBefore: 'The user asked:',
    leftOut: (count) => `(${count} earlier messages left out)`,
  },
  zh: {
    calling: (tools) => `正在调用 ${tools}。`,
    greeting: '你好！',
    welcome: '不客气。',
    canDo: '可以试试：',
    tour: '让我看看你是怎么工作的（一次运行的导览）',
    noTools: '这里没有提供我认识的工具，所以我什么也做不了。',
    cannotAnswer: '这个我回答不了。',
    tooLong: (limit) => `这个我回答不了：我最多读 ${limit} 个字符的消息。`,
    configure:
      '要得到真正的回答，请配置一个模型：设置 OPENAI_API_KEY，或在启动时加上 --base-url 和 --model' +
      '（Ollama：--model ollama/qwen3）。',
    notUnderstood: (clauses) => `这部分我没有看懂：${clauses}。`,
    missing: (tools) => `没有执行：本次运行没有提供工具 ${tools}。`,
    withheld: (tools) => `我只看懂了消息的一部分，所以没有调用会修改文件的 ${tools}。请单独提出这个要求。`,
    rejected: (tool, text) => `对 ${tool} 的调用被拒绝了，我不再继续：${text}`,
    failed: (tool, text) => `${tool} 没有成功，我不会重试：${text}`,
    stopped: (tools) => `我没有继续执行 ${tools}，因为它需要上一步的完整结果。`,
    unseen: (attachments) => `随消息附带的内容我无法查看：${attachments}。`,
    cut: '…（以下省略）',
    nothing: '（无）',
    askedBefore: '用户问过：',
    leftOut: (count) => `（省略了更早的 ${count} 条消息）`,
  },
};
