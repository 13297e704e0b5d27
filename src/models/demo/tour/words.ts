import type { Language } from '../language.ts';

/** The file that the tour writes. */
export const notesPath = 'tour/notes.md';

const en = {
  /** Begins the text of each step. The script finds its own steps in the conversation by these words. */
  step: { 1: 'Step 1 of 3', 2: 'Step 2 of 3', 3: 'Step 3 of 3' },
  end: 'That was one run.',
  planned:
    'The user wants to see how a run works. I am a script, so my plan is fixed: look around, write one file, ' +
    'read it back, report. Looking changes nothing, so no person has to allow it.',
  look: (tools: readonly string[]) =>
    `look around. I call ${tools.join(' and ')}. They only read, so they start at once.`,
  write:
    `write a file. I ask to write ${notesPath}. Writing changes something, so the run waits for your decision: ` +
    'approve it, reject it, or change it. While it waits it is rows in the database, and needs no process.',
  check: 'check. I read the file back.',
  notes:
    "# Notes of the guided tour\n\nDetent's built-in demo wrote this file. You may delete it. It looked around first:\n\n",
  stopping: 'So I stop the tour here.',
  tableHead: ['State', 'What happened'],
  thinking: 'Detent asked me, the model, for the next step, each time with the conversation so far',
  backingOff: 'At the first call I said that I am busy; Detent waited, and called again',
  tooling: (tools: string) => `${tools} ran`,
  asked: (result: string) => `write_file needs a permission. Its result: ${result}`,
  compacting:
    'I refused a prompt as too long; one line went to the memory, and a summary replaced older messages',
  done: 'This answer. It calls no tool, so the run ends',
  readBack: 'Read back from',
  acted:
    'The busy model and the full window were my acting. The waiting, the question, the memory and the summary were ' +
    "Detent's own work, and each row of the table is stored.",
  next: 'Try next: start another tour, end the process while that run waits for you, start it again, and decide then.',
  busy: 'The demo plays a busy provider on the first call of its tour: call again.',
  full: "The demo plays a model whose window is full: the tour's prompt is too long.",
  memory: "The user has seen Detent's guided tour.",
};

const zh: typeof en = {
  step: { 1: '第 1 步，共 3 步', 2: '第 2 步，共 3 步', 3: '第 3 步，共 3 步' },
  end: '这就是一次完整的运行。',
  planned:
    '用户想看看一次运行是怎么进行的。我是一个脚本，计划是固定的：先看看四周，写一个文件，再读回来，最后报告。只读的工具什么也不改变，所以不需要人来批准。',
  look: (tools) => `看看四周。我调用 ${tools.join(' 和 ')}。它们只读取，所以马上开始。`,
  write: `写一个文件。我请求写入 ${notesPath}。写入会改变东西，所以运行在等你决定：批准、拒绝或修改。等待时它只是数据库里的几行，不占用任何进程。`,
  check: '核对。我把文件读回来。',
  notes: '# 导览笔记\n\n这个文件由 Detent 内置的演示程序写下，你可以删除它。它先看了看四周：\n\n',
  stopping: '所以导览到此为止。',
  tableHead: ['状态', '发生了什么'],
  thinking: 'Detent 向我这个模型询问下一步，每次都带着到那时为止的对话',
  backingOff: '第一次调用时我说自己很忙；Detent 等了一会儿，又调用了一次',
  tooling: (tools) => `${tools} 运行了`,
  asked: (result) => `write_file 需要批准。结果：${result}`,
  compacting: '我以太长为由拒绝了一次提示；一行内容进了记忆，一段摘要替换了较早的消息',
  done: '就是这个回答。它不调用工具，所以运行结束',
  readBack: '读回来的',
  acted:
    '模型很忙、窗口已满，都是我演的。等待、提问、记忆和摘要则是 Detent 真正做的事，表里的每一行都已保存。',
  next: '接下来可以试试：再开始一次导览，在那次运行等待你时结束进程，重新启动，然后再决定。',
  busy: '演示程序在导览的第一次调用时扮演繁忙的模型服务：请再调用一次。',
  full: '演示程序扮演窗口已满的模型：导览的提示太长了。',
  memory: '用户看过 Detent 的导览。',
};

/** All that the tour says. */
export const tourWords = { en, zh };

/** The language of a tour of which a step is in the text; undefined without one. */
export function stepLanguage(text: string): Language | undefined {
  const languages = ['en', 'zh'] as const;
  return languages.find((each) => Object.values(tourWords[each].step).some((step) => text.includes(step)));
}
