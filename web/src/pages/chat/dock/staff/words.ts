import { words } from '../../../../base/words.ts';

export const t = words({
  region: ['Who speaks here', '谁在这里发言'],
  awaited: ['This user is waiting for a person', '用户在等待人工服务'],
  asked: ['A person was requested', '已请求人工服务'],
  askedMore: [
    'A person will come, and will read what you write here.',
    '工作人员很快会来。你在这里写的内容会留给他们。',
  ],
  came: [(who: string | null) => who ?? 'A person is here', (who) => who ?? '工作人员已接入'],
  cameMore: [
    'You are talking to a person. The assistant is silent.',
    '正在与你对话的是工作人员，助手暂停回复。',
  ],
  has: [(who: string | null) => `${who ?? 'Someone'} has taken over`, (who) => `${who ?? '其他人'}正在接待`],
  hasMore: ['The assistant is silent meanwhile.', '在此期间助手不会回复。'],
  youHave: ['You have this conversation', '由你接待'],
  youHaveMore: [
    'The assistant is silent until you give the conversation back.',
    '在你交还对话之前，助手不会回复。',
  ],
  takeOver: ['Take over', '接管对话'],
  taking: ['Taking over…', '正在接管…'],
  giveBack: ['Give back', '交还对话'],
  giveBackTitle: ['Give this conversation back to the assistant?', '把这个对话交还给助手？'],
  giveBackAbout: [
    (who: string) => `${who} has taken over. If the user wrote last, the assistant answers.`,
    (who) => `现在由 ${who} 接待。如果最后一句话是用户说的，助手会回答。`,
  ],
  somebody: ['Someone else', '其他人'],
});
