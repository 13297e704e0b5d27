import { words } from '../../base/words.ts';

export const t = words({
  title: ['Trust', '信任'],
  about: [
    'What may act here without asking again. This page shows and revokes trust; it never grants it.',
    '哪些内容可以不再询问就执行。这个页面只显示并收回信任，从不授予信任。',
  ],
  folders: ['Folders', '文件夹'],
  foldersAbout: [
    'Their files act with your rights and keys: configuration, jobs, programs. You approve them on a terminal with “detent trust”.',
    '其中的文件会以你的权限和密钥执行：配置、任务、程序。信任是在终端里用“detent trust”同意的。',
  ],
  noFolders: ['No folder is trusted.', '没有受信任的文件夹。'],
  mine: ['yours: changes need no approval', '归你所有：改动不再询问'],
  noRecords: [
    'The program that serves this page keeps no records of trusted folders.',
    '提供这个页面的程序不保存受信任文件夹的记录。',
  ],
  grants: ['For the rest of a session', '在会话剩余时间内有效'],
  grantsAbout: [
    'Calls that you approved for a whole session run there without asking.',
    '你为某个会话批准的调用，在那里不再询问就执行。',
  ],
  noGrants: ['There are no grants.', '没有因授权而免询问的调用。'],
  skills: ['Skills', '技能'],
  skillsAbout: [
    'A trusted skill may skip confirmations, as long as its files do not change.',
    '受信任的技能可以跳过确认，只要它的文件仍是你批准时的样子。',
  ],
  noSkills: [
    'You have approved no skills. Detent trusts its own skills.',
    '你没有批准过技能。Detent 自带的技能按现状受信任。',
  ],
  tokens: ['Tokens', '令牌'],
  tokensAbout: ['A client with a token gets access.', '出示令牌的人可以进入。'],
  noTokens: ['There are no tokens.', '没有令牌。'],
  revoke: ['Revoke', '收回'],
  really: ['Really revoke', '确定收回'],
  revokeOf: [(name: string) => `Revoke ${name}`, (name) => `收回 ${name}`],
  since: [(time: string) => `since ${time}`, (time) => `自 ${time} 起`],
  until: [(time: string) => `until ${time}`, (time) => `到 ${time} 为止`],
  forever: ['without an end', '没有期限'],
  session: ['Session', '会话'],
  ended: [(n: number) => `and ${n} that ended`, (n) => `另有 ${n} 个已结束`],
  user: [(name: string) => `user ${name}`, (name) => `用户 ${name}`],
  needsAdmin: [
    'Folders, skills and tokens need a token with the scope admin.',
    '查看文件夹、技能和令牌需要带 admin 权限的令牌。',
  ],
});
