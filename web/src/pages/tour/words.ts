import { words } from '../../base/words.ts';

/** For each state: what happens (`…Now`), what the database has at this moment (`…Saved`), what to try (`…Try`). */
export const t = words({
  offerTitle: ['See an agent think', '看一个智能体思考'],
  offer: [
    'A demo model, which needs no key, shows you a run that waits, retries, asks you and compacts. It takes a minute. It asks before it writes tour/notes.md; its compaction saves a note in memory/ without asking.',
    '一个不需要密钥的演示模型，让你看一次会等待、重试、问你、压缩对话的运行。只要一分钟。写入 tour/notes.md 之前会先问你；压缩时会直接把一条笔记存进 memory/。',
  ],
  start: ['Start the demo', '开始演示'],
  startAgain: ['Show the demo', '看演示'],
  lessons: ['Six lessons', '六课入门'],
  prompt: ['Show me how you work', '让我看看你是怎么工作的'],
  guide: ['Guide', '导览'],
  states: ['States so far', '经过的状态'],
  follow: ['Follow the run', '跟随运行'],
  more: ['More', '更多'],
  close: ['Close the guide', '关闭导览'],
  now: ['Now', '现在'],
  saved: ['Saved at this moment', '此刻已保存'],
  try: ['Try', '试试看'],
  lesson: [(n: number) => `Lesson ${n}`, (n) => `第 ${n} 课`],
  idleNow: [
    'The run is queued. A session runs one run at a time.',
    '运行正在排队。一个会话同时只有一个运行在工作。',
  ],
  idleSaved: ['Your message, and the run itself.', '你的消息，以及这次运行本身。'],
  idleTry: [
    'Send a second message while a run works: it waits here.',
    '在一次运行工作时再发一条消息：它会在这里等待。',
  ],
  thinkNow: [
    'Detent sent the conversation to the model, and waits for its answer. Its words stream in as they arrive.',
    'Detent 把对话发给了模型，正在等它回答。文字一到就会显示。',
  ],
  thinkSaved: [
    'That this call is in progress. Detent saves the complete answer, not its pieces.',
    '这次调用正在进行。回答的片段不会保存，只在最后保存完整的回答。',
  ],
  thinkTry: [
    'Open this page on a second device: the words stream there, too.',
    '在另一台设备上打开这个页面：文字也会在那里出现。',
  ],
  backNow: [
    'The model was busy. It said how long to wait; then Detent asks again.',
    '模型正忙，并说了要等多久。之后 Detent 会再问一次。',
  ],
  backSaved: [
    'The time of the next attempt. It is a row, not a timer of this process, so a restart keeps it.',
    '下一次尝试的时间。它是数据库里的一行，不是进程里的定时器，所以重启后仍然有效。',
  ],
  backTry: ['Reload this page. The run does not notice.', '刷新这个页面。运行不会察觉。'],
  toolNow: [
    'The model asked for a tool, and the tool runs. The model itself can run nothing.',
    '模型请求使用一个工具，工具正在运行。模型自己什么也运行不了。',
  ],
  toolSaved: ['The exact arguments, before the tool began.', '工具开始之前，确切的参数就已保存。'],
  toolTry: [
    'Open the card of the call: its arguments, its result, and how long it took.',
    '看看这次调用的卡片：参数、结果，以及用了多久。',
  ],
  askNow: [
    'This call would change something, so a person decides. Nothing runs meanwhile.',
    '这次调用会改变东西，所以由人来决定。在此期间什么也不运行。',
  ],
  askSaved: [
    'The question, with a hash of the arguments that you see. It waits for 7 days, and needs no process.',
    '问题，以及你看到的参数的哈希。它会等 7 天，不需要任何进程。',
  ],
  askTry: [
    'End the process of Detent, start it again, and decide then. Or change the arguments before you approve.',
    '结束 Detent 的进程，重新启动，然后再决定。或者先修改参数再批准。',
  ],
  recNow: [
    'The process died while a tool ran, so Detent cannot know whether the tool took effect.',
    '工具运行时进程中断了，所以 Detent 无法知道工具是否已经生效。',
  ],
  recSaved: [
    'The call and its arguments. Detent does not repeat it without you.',
    '这次调用和它的参数。没有你的同意，Detent 不会重复它。',
  ],
  recTry: [
    'Check whether it took effect. Then choose: it ran, run it again, or skip it.',
    '看看它是否生效了。然后告诉 Detent：已经运行、再运行一次，或放弃。',
  ],
  compNow: [
    'The prompt became too long. The model saves important facts to the memory, and then writes a summary of the older messages.',
    '提示变得太长了。模型先把需要保留的内容写入记忆，再为较早的消息写一段摘要。',
  ],
  compSaved: [
    'Every message stays in the log. The summary and its place are one commit.',
    '每条消息都留在日志里。摘要和它的位置是同一次提交。',
  ],
  compTry: ['Open Memory, and look at the file of today.', '打开“记忆”，看看今天的文件。'],
  doneNow: ['The answer asked for no tool, so the run ended.', '这个回答不再请求工具，所以运行结束了。'],
  doneSaved: [
    'All of it. Detent can compute each state again from the log.',
    '全部。Detent 可以从日志重新计算出每个状态。',
  ],
  doneTry: [
    'Open the inspector, move the slider to an earlier transition, and fork the run there.',
    '打开检查器，把滑块移到较早的转换，并从那里分叉出新的运行。',
  ],
  failNow: ['The run ended without an answer.', '运行没有得到回答就结束了。'],
  failSaved: [
    'Everything up to here, and the guard that stopped it.',
    '到这里为止的一切，以及让它停下的条件。',
  ],
  failTry: [
    'Open the inspector: it says why the run ended like this.',
    '打开检查器：它会说明运行为什么走到这里。',
  ],
  cancelNow: ['You stopped the run.', '你停止了这次运行。'],
  cancelSaved: [
    'Everything up to here. Detent told the running calls to stop.',
    '到这里为止的一切。已经开始的调用被要求停止。',
  ],
  cancelTry: [
    'Send a message: the session continues with a new run.',
    '再发一条消息：会话会以新的运行继续。',
  ],
});
