/** Requests and the skill that each means. Written without looking at the descriptions. */
export interface Paraphrase {
  input: string;
  skill: string;
  language: 'en' | 'zh';
  /** Whether the skill comes with Detent: those have Chinese key words, the others do not. */
  isOwn: boolean;
}

const own: Readonly<Record<string, { en: string[]; zh: string[] }>> = {
  'code-review': {
    en: [
      'Could you look over this pull request before I merge it?',
      'check src/engine for bugs',
      'please critique the patch I just wrote',
      'are there any vulnerabilities in the diff against main',
      'give me feedback on the quality of this function',
      'inspect my last commit for mistakes',
    ],
    zh: [
      '帮我审查一下这段代码',
      '看看这次提交有没有漏洞',
      '检查代码质量',
      '评审我的改动',
      '这个补丁合并之前请做代码评审',
    ],
  },
  'daily-summary': {
    en: [
      'what did I get done today?',
      'write my standup notes for this morning',
      'recap yesterday for me',
      'end of day wrap-up please',
      'draft a daily report from the commits',
      'make a digest of the day',
    ],
    zh: ['总结一下今天做了什么', '写今天的日报', '帮我准备站会的内容', '回顾昨天的工作', '每日总结'],
  },
  'shopping-assistant': {
    en: [
      'I want to buy running shoes under 80 dollars',
      'where is my order?',
      'which of these two headphones is cheaper',
      'find a gift for my mother',
      'I would like to return the jacket',
      'add two of those to my basket',
    ],
    zh: [
      '我想买一双便宜的跑鞋',
      '我的订单物流到哪了',
      '这件衣服怎么退货',
      '推荐一个生日礼物',
      '把它放进购物车',
    ],
  },
  'research-notes': {
    en: [
      'investigate how other databases do group commit',
      'look into the literature on BM25 and write up sources',
      'compare the evidence for and against intermittent fasting',
      'do background research on heat pumps',
      'fact-check this claim and cite where it comes from',
      'survey what is known about solid-state batteries',
    ],
    zh: [
      '调研一下固态电池的现状',
      '帮我查资料并记下出处',
      '核查这个说法的事实',
      '整理一份关于热泵的研究笔记',
      '搜集资料做文献综述',
    ],
  },
  'skill-creator': {
    en: [
      'create a skill that writes release notes',
      'turn this procedure into a reusable SKILL.md',
      'I want to teach you our deployment runbook',
      'why is my skill never chosen, fix its description',
      'author a new playbook for onboarding',
    ],
    zh: ['创建一个新技能', '把这个流程写成技能', '编写技能模板', '改进技能的描述', '帮我写一个技能'],
  },
};

const others: Readonly<Record<string, string[]>> = {
  weather: ['will it rain in Oslo tomorrow, what is the forecast?', 'current weather in Lisbon'],
  summarize: ['transcribe this youtube video', 'summarize the podcast at this url'],
  tmux: ['send ctrl-c to the tmux pane', 'read the output of the interactive session in tmux'],
  'canvas-design': ['design a poster for the jazz festival', 'create a piece of visual art as pdf'],
  'internal-comms': [
    'write a status report for leadership',
    'draft the company newsletter',
    'an incident report for staff',
  ],
  'slack-gif-creator': ['make an animated gif of a dancing cat for slack'],
  'theme-factory': ['apply a color theme to my slides', 'style this landing page with a preset theme'],
  brainstorming: [
    'explore requirements and design before we build the new feature',
    'brainstorm ideas with me before creating components',
  ],
  'executing-plans': ['execute the written implementation plan with checkpoints'],
  'writing-skills': ['verify that the skills work before deployment', 'edit an existing skill'],
  'notion-research-documentation': ['gather pages across Notion into a brief with citations'],
  'notion-spec-to-implementation': ['turn the Notion spec into implementation tasks'],
  'complete-partial-pr': ['this pull request fixes only a part, complete it', 'finish the partial pr'],
  'pushing-commits-to-the-repo': ['push the commits and watch CI', 'open a PR and triage the comments'],
  figma: ['implement this Figma node', 'fetch the design context from figma'],
  'gtm-engineering': [
    'build revenue automation with clay and n8n',
    'design a go-to-market workflow for outbound',
  ],
  'nx-generate': ['scaffold a new library with nx', 'run the nx generator for a component'],
  'security-threat-model': [
    'threat model this repository',
    'enumerate abuse paths and trust boundaries of the service',
  ],
  'add-function-examples': ['add AI function examples that test the provider api'],
  'adr-skill': ['write an architecture decision record for choosing sqlite', 'supersede the old ADR'],
  'openclaw-marketing-pages': ['build the OpenClaw marketing landing page'],
};

export const paraphrases: readonly Paraphrase[] = [
  ...Object.entries(own).flatMap(([skill, { en, zh }]) => [
    ...en.map((input): Paraphrase => ({ input, skill, language: 'en', isOwn: true })),
    ...zh.map((input): Paraphrase => ({ input, skill, language: 'zh', isOwn: true })),
  ]),
  ...Object.entries(others).flatMap(([skill, inputs]) =>
    inputs.map((input): Paraphrase => ({ input, skill, language: 'en', isOwn: false })),
  ),
];

/** With hardly a word of the descriptions, or in another language than they: what no ranking by words can do. */
export const farFetched: readonly Paraphrase[] = Object.entries<{ en: string; zh: string }>({
  weather: { en: 'do I need an umbrella in Bergen on Friday?', zh: '明天奥斯陆会下雨吗' },
  summarize: { en: 'give me the gist of this episode', zh: '把这个视频转成文字并概括要点' },
  tmux: {
    en: 'press enter in the other terminal window and tell me what it says',
    zh: '给另一个终端会话发送按键',
  },
  'canvas-design': { en: 'make a flyer for our summer fair', zh: '设计一张音乐节海报' },
  'internal-comms': {
    en: 'tell everybody at the company about last night’s outage',
    zh: '写一份给管理层的进展汇报',
  },
  'slack-gif-creator': { en: 'a looping animation for our chat channel', zh: '做一个动图发到聊天频道' },
  'theme-factory': { en: 'make my deck look consistent', zh: '给我的幻灯片换一套配色' },
  brainstorming: {
    en: 'let us think through what the search box should do',
    zh: '先讨论一下这个新功能的需求',
  },
  'executing-plans': { en: 'carry out plan.md step by step', zh: '按照计划文档逐步实施' },
  figma: { en: 'turn this mockup into React', zh: '把设计稿变成前端代码' },
  'gtm-engineering': {
    en: 'enrich the leads of our sales team without manual work',
    zh: '搭建销售自动化流程',
  },
  'nx-generate': { en: 'a new package in the monorepo, please', zh: '在单体仓库里生成一个新库' },
  'security-threat-model': { en: 'what could somebody evil do to this service?', zh: '分析这个仓库的攻击面' },
  'adr-skill': { en: 'write down why we chose Postgres', zh: '记录一下这个架构决定' },
  'pushing-commits-to-the-repo': {
    en: 'send my branch upstream and see that the pipeline is green',
    zh: '推送提交并盯着流水线',
  },
}).flatMap(([skill, { en, zh }]): Paraphrase[] => [
  { input: en, skill, language: 'en', isOwn: false },
  { input: zh, skill, language: 'zh', isOwn: false },
]);

/** What is for no skill. */
export const forNone: readonly string[] = [
  'hello',
  'hi, how are you?',
  'thanks, that is all',
  'what is 17 * 23?',
  'what time is it in Tokyo?',
  'convert 10 miles to km',
  'tell me a joke about penguins',
  'translate "good morning" into French',
  'who wrote Hamlet?',
  'how tall is Mount Everest',
  'sing me a lullaby',
  'what is the capital of Peru',
  'rename a.txt to b.txt',
  'good night',
  '你好',
  '谢谢',
  '现在几点',
  '讲个笑话',
  '珠穆朗玛峰有多高',
  '把这句话翻译成英文',
];
