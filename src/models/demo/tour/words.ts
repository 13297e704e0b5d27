import type { Language } from '../language.ts';

/** The file that the tour writes. */
export const notesPath = 'tour/notes.md';

/** What became of the call that asks a person, in the words that Detent gave as its result. */
export type Fate =
  | { kind: 'ran'; isChanged: boolean }
  | { kind: 'rejected'; why: string }
  | { kind: 'failed'; why: string };

interface TourWords {
  /** Begins the text of each step. The script finds its own steps in the conversation by these words. */
  step: Readonly<Record<1 | 2 | 3, string>>;
  /** Begins the last answer. */
  end: string;
  planned: string;
  look(tools: readonly string[]): string;
  lookedAt(entries: number | null): string;
  write: string;
  writeAgain: string;
  summarised: string;
  check(isCompacted: boolean): string;
  reporting: string;
  notes(time: string | null, entries: number | null): string;
  heard(words: string): string;
  stopping: string;
  tableHead: readonly [string, string];
  thinking: string;
  backingOff: string;
  tooling(tools: string): string;
  asked(fate: Fate): string;
  compacting: string;
  done: string;
  noTools: string;
  readBack(path: string): string;
  unread(why: string): string;
  acted: string;
  next: string;
  nextSteps: readonly string[];
  busy: string;
  full: string;
  memory: string;
  finished: string;
  stepDone: Readonly<Record<1 | 2, string>>;
}

/** All that the tour says. */
export const tourWords: Readonly<Record<Language, TourWords>> = {
  en: {
    step: { 1: 'Step 1 of 3', 2: 'Step 2 of 3', 3: 'Step 3 of 3' },
    end: 'That was one run',
    planned:
      'The user wants to see how a run works. I am a script, so my plan is fixed: look around, write one file, ' +
      'read it back, report. Looking changes nothing, so no person has to allow it.',
    look: (tools) => `look around. I call ${tools.join(' and ')}. They only read, so they start at once.`,
    lookedAt: (entries) =>
      `${entries === null ? 'I have looked around.' : `I see ${entries} entries in this folder.`} Now something that ` +
      'changes the world: a file. A person must allow that, so the run will wait.',
    write:
      `write a file. I ask to write ${notesPath}. Writing changes something, so the run waits for your decision: ` +
      'approve it, reject it, or change it. While it waits it is rows in the database, and needs no process.',
    writeAgain:
      'ask again. Your message withdrew my question, because what you say comes first. So I ask once more.',
    summarised:
      'The older messages are a summary now. I had better look at the file than trust my memory; reading is safe.',
    check: (isCompacted) =>
      isCompacted
        ? 'check. Before this, I refused one prompt as too long. So Detent saved what matters to the memory, replaced ' +
          'the older messages by a summary, and asked me again. Now I read the file back.'
        : 'check. I read the file back.',
    reporting: 'Nothing is left to do. I report what happened, from the results that I can see.',
    notes: (time, entries) =>
      [
        '# Notes of the guided tour',
        '',
        "Written by Detent's built-in demo. You may delete this file.",
        '',
        ...(time === null ? [] : [`- Time: ${time}`]),
        ...(entries === null ? [] : [`- Entries in this folder: ${entries}`]),
        '- The tool `write_file` asks a person, unless you allowed it before.',
        '',
      ].join('\n'),
    heard: (words) =>
      `You wrote “${words}”. A message to a run that works joins its conversation here; calls that had not started ` +
      'were skipped.',
    stopping: 'So I stop the tour here.',
    tableHead: ['State', 'What happened'],
    thinking: 'Detent asked me, the model, for the next step, each time with the conversation so far',
    backingOff: 'At the first call I said that I am busy; Detent waited, and called again',
    tooling: (tools) => `${tools} ran`,
    asked: (fate) => {
      if (fate.kind === 'rejected') return `write_file was not allowed, so it did not run: ${fate.why}`;
      if (fate.kind === 'failed') return `write_file ran and failed: ${fate.why}`;
      return fate.isChanged
        ? 'You changed the arguments of write_file, and it ran with yours'
        : 'write_file needed permission; then it ran';
    },
    compacting:
      'I refused a prompt as too long; one line went to the memory, and a summary replaced older messages',
    done: 'This answer. It calls no tool, so the run ends',
    noTools: 'No tool that I know is offered here, so there was nothing to call.',
    readBack: (path) => `What stands in \`${path}\` now:`,
    unread: (why) => `I could not read the file back: ${why}`,
    acted:
      'The busy model and the full window were my acting. The waiting, the question, the memory and the summary were ' +
      "Detent's own work, and each row of the table is stored.",
    next: 'Try next:',
    nextSteps: [
      'take the tour again, and reject the file or change its content',
      'end the process while the run waits, start it again, and decide then',
      'write to the run while it works',
    ],
    busy: 'The demo plays a busy provider on the first call of its tour: call again.',
    full: "The demo plays a model whose window is full: the tour's prompt is too long.",
    memory: "The user has seen Detent's guided tour.",
    finished: 'The guided tour is over.',
    stepDone: {
      1: 'is done: the demo looked around.',
      2: 'is done: the demo asked to write the file. Result:',
    },
  },
  zh: {
    step: { 1: '第 1 步，共 3 步', 2: '第 2 步，共 3 步', 3: '第 3 步，共 3 步' },
    end: '这就是一次完整的运行',
    planned:
      '用户想看看一次运行是怎么进行的。我是一个脚本，计划是固定的：先看看四周，写一个文件，再读回来，最后报告。只读的工具什么也不改变，所以不需要人来批准。',
    look: (tools) => `看看四周。我调用 ${tools.join(' 和 ')}。它们只读取，所以马上开始。`,
    lookedAt: (entries) =>
      `${entries === null ? '我已经看过四周。' : `这个文件夹里有 ${entries} 项。`}接下来要改变一样东西：一个文件。这需要人的批准，所以运行会等待。`,
    write: `写一个文件。我请求写入 ${notesPath}。写入会改变东西，所以运行在等你决定：批准、拒绝或修改。等待时它只是数据库里的几行，不占用任何进程。`,
    writeAgain: '再问一次。你的消息撤回了我的问题，因为你说的话优先。所以我再问一次。',
    summarised: '较早的消息现在是一段摘要。与其相信记忆，不如看看文件；读取是安全的。',
    check: (isCompacted) =>
      isCompacted
        ? '核对。在这之前，我以太长为由拒绝了一次提示。于是 Detent 先把重要的内容存进记忆，再用摘要替换较早的消息，然后重新问我。现在我把文件读回来。'
        : '核对。我把文件读回来。',
    reporting: '没有别的事要做了。我根据看得到的结果来报告。',
    notes: (time, entries) =>
      [
        '# 导览笔记',
        '',
        '由 Detent 内置的演示程序写下。你可以删除这个文件。',
        '',
        ...(time === null ? [] : [`- 时间：${time}`]),
        ...(entries === null ? [] : [`- 这个文件夹里的项数：${entries}`]),
        '- 工具 `write_file` 会先问人，除非你事先允许过。',
        '',
      ].join('\n'),
    heard: (words) =>
      `你写了“${words}”。发给正在进行的运行的消息，会在这里加入对话；还没有开始的调用都被跳过了。`,
    stopping: '所以导览到此为止。',
    tableHead: ['状态', '发生了什么'],
    thinking: 'Detent 向我这个模型询问下一步，每次都带着到那时为止的对话',
    backingOff: '第一次调用时我说自己很忙；Detent 等了一会儿，又调用了一次',
    tooling: (tools) => `${tools} 运行了`,
    asked: (fate) => {
      if (fate.kind === 'rejected') return `write_file 没有得到批准，所以没有运行：${fate.why}`;
      if (fate.kind === 'failed') return `write_file 运行了，但失败了：${fate.why}`;
      return fate.isChanged
        ? '你修改了 write_file 的参数，它按你的参数运行了'
        : 'write_file 需要批准；然后它运行了';
    },
    compacting: '我以太长为由拒绝了一次提示；一行内容进了记忆，一段摘要替换了较早的消息',
    done: '就是这个回答。它不调用工具，所以运行结束',
    noTools: '这里没有提供我认识的工具，所以没有可以调用的。',
    readBack: (path) => `\`${path}\` 现在的内容：`,
    unread: (why) => `我没能把文件读回来：${why}`,
    acted:
      '模型很忙、窗口已满，都是我演的。等待、提问、记忆和摘要则是 Detent 真正做的事，表里的每一行都已保存。',
    next: '接下来可以试试：',
    nextSteps: [
      '再看一次导览，这次拒绝写文件，或修改它的内容',
      '在运行等待时结束进程，重新启动，然后再决定',
      '在运行进行时给它发一条消息',
    ],
    busy: '演示程序在导览的第一次调用时扮演繁忙的模型服务：请再调用一次。',
    full: '演示程序扮演窗口已满的模型：导览的提示太长了。',
    memory: '用户看过 Detent 的导览。',
    finished: '导览已经结束。',
    stepDone: { 1: '已完成：演示程序看过了四周。', 2: '已完成：演示程序请求写入文件。结果：' },
  },
};
