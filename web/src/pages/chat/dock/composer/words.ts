import { counted, words } from '../../../../base/words.ts';

export const t = words({
  message: ['Message', '消息'],
  placeholder: ['Ask a question, or give a task', '提问，或交代一件事'],
  placeholderAsk: ['A message withdraws the question', '也可以直接说：发消息会撤回这个问题'],
  placeholderSteer: ['Steer: the model reads this next', '引导：模型接下来就会看到'],
  placeholderReconcile: [
    'Or write something: the model reads it once the call is settled',
    '也可以直接说：处理完这个调用后模型会看到',
  ],
  placeholderQueue: ['Next: this starts when the current run has ended', '接下来：这次运行结束后执行'],
  placeholderOffline: [
    'Detent is not responding. The page keeps your messages, and sends them when it responds again.',
    'Detent 没有响应。你发送的内容会保存在这里，连上后再发出。',
  ],
  placeholderStaff: ['Write to the user, as staff', '以工作人员身份回复用户'],
  placeholderHeld: ['Write to the person', '给工作人员留言'],
  send: ['Send', '发送'],
  keep: ['Keep', '保存'],
  sending: ['Sending…', '正在发送…'],
  stop: ['Stop', '停止'],
  stopSure: ['Really stop?', '确定停止？'],
  stopping: ['Stopping…', '正在停止…'],
  stopAsk: ['Press Esc again, or Stop again, to end the run.', '再按一次 Esc 或“停止”，就会结束这次运行。'],
  keyStop: ['Stop the run (asks you once)', '停止运行（会先确认一次）'],
  keySkills: ['Skills', '技能'],
  attach: ['Attach a file', '添加附件'],
  attachLimits: [
    (count: number, size: string) =>
      `PNG, JPEG, GIF, WebP, PDF and text; up to ${count} files, ${size} together. You can also paste or drop them.`,
    (count, size) =>
      `PNG、JPEG、GIF、WebP、PDF 和文本；最多 ${count} 个文件，总共 ${size}。也可以粘贴或拖放。`,
  ],
  dropHere: ['Drop to attach', '松开即可添加'],
  removeFile: [(name: string) => `Remove ${name}`, (name) => `移除 ${name}`],
  uploading: ['Uploading…', '正在上传…'],
  refused: [
    (name: string, why: string) => `${name} is not attached: ${why}`,
    (name, why) => `没有添加 ${name}：${why}`,
  ],
  tooLarge: [
    (size: string, most: string) => `it has ${size}; the files of a message may have ${most} together`,
    (size, most) => `它有 ${size}；一条消息的文件总共不能超过 ${most}`,
  ],
  tooMany: [
    (most: number) => `a message takes at most ${counted(most, 'file', 'files')}`,
    (most) => `一条消息最多 ${most} 个文件`,
  ],
  noType: [
    (type: string) => `${type} is not a supported image, PDF or text file`,
    (type) => `${type} 不是模型能读的图片、PDF 或文本`,
  ],
  empty: ['it is empty', '它是空的'],
  needsText: ['Write something about the files.', '请写几个字说明这些文件。'],
  skill: ['Skill', '技能'],
  skills: ['Skills', '技能'],
  skillsFound: [(n: number) => counted(n, 'skill', 'skills'), (n) => `${n} 个技能`],
  noSkill: [
    'No skill begins like this. Your message is sent as it is.',
    '没有这样开头的技能。消息会原样发出。',
  ],
  skillOff: [(why: string) => `Cannot be used: ${why}`, (why) => `不能使用：${why}`],
  skillForModels: ['Only the model chooses this one.', '这个技能只由模型选用。'],
  thisRun: ['To this run', '给这次运行'],
  nextRun: ['After it', '在它之后'],
  whereTo: ['When the model reads it', '模型何时看到'],
  queued: ['Waits for its turn', '正在排队'],
  cancelQueued: ['Take this message back', '收回这条消息'],
  unsent: ['Kept here, not sent', '保存在这里，还没发出'],
  dropUnsent: ['Discard this message', '丢弃这条消息'],
  model: ['Model of the next run', '下一次运行的模型'],
  modelUsual: [(name: string) => `${name} (as configured)`, (name) => `${name}（按配置）`],
  modelUsualUnknown: ['As configured', '按配置'],
  ofContext: [(percent: number) => `${percent} % of context`, (percent) => `上下文 ${percent} %`],
  contextTitle: [
    (tokens: string, window: string, prune: number, compact: number) =>
      `Context: ${tokens} of ${window} tokens. Detent shortens old results at ${prune} % of them, and makes a summary at ${compact} %. The shares in the configuration are of what the room for an answer leaves.`,
    (tokens, window, prune, compact) =>
      `上下文：${window} 个 token 中的 ${tokens} 个。占到其中 ${prune} % 时会缩短旧结果，${compact} % 时会生成摘要。配置里的比例以扣除回答空间后的部分计算。`,
  ],
  mayNotWrite: ['This login may read, but not write.', '这个登录只能查看，不能发消息。'],
});
