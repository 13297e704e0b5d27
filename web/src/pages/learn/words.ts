import { words } from '../../base/words.ts';

export const t = words({
  title: ['Learn Detent in six lessons', '六课学会 Detent'],
  about: [
    'Each lesson takes five minutes, and has one command for your terminal, one picture and one experiment. No key is needed.',
    '每课五分钟，有一条终端命令、一张图和一个实验。不需要密钥。',
  ],
  lesson: [(n: number) => `Lesson ${n}`, (n) => `第 ${n} 课`],
  title1: ['A run and its loop', '运行和它的循环'],
  title2: ['Tools and people', '工具和人'],
  title3: ['Skills', '技能'],
  title4: ['Memory and compaction', '记忆和压缩'],
  title5: ['Schedules', '定时任务'],
  title6: ['Crash and replay', '崩溃和重放'],
  sees1: [
    'How a model and its tools take turns, and what stops them.',
    '模型和工具怎样轮流工作，又是什么让它们停下。',
  ],
  sees2: [
    'How a run waits for a person, for a minute or for days.',
    '一次运行怎样等待人，等一分钟或等几天。',
  ],
  sees3: [
    'How a text file teaches an agent, and takes tools away.',
    '一个文本文件怎样教会智能体，又怎样收走工具。',
  ],
  sees4: ['What an agent still knows when a conversation is too long.', '对话太长时，智能体还知道什么。'],
  sees5: [
    'How an agent works at set times, and what happens to missed ones.',
    '智能体怎样在设定的时间工作，错过的时间会怎样。',
  ],
  sees6: [
    'How a killed run continues, and how you try a different past.',
    '被杀掉的运行怎样继续，你又怎样尝试另一种过去。',
  ],
  lessons: ['Lessons', '课程'],
  all: ['All lessons', '所有课程'],
  next: [(title: string) => `Next: ${title}`, (title) => `下一课：${title}`],
  before: [(title: string) => `Before: ${title}`, (title) => `上一课：${title}`],
  inEnglish: ['The lesson itself is in English.', '课程正文是英文。'],
  documentInEnglish: ['This document is in English.', '这份文档是英文。'],
  reading: ['Loading…', '正在加载…'],
  where: [
    'Type the commands in a new empty folder: in the folder that this gateway serves, the gateway would do part of the work. After a lesson, type "detent serve" there to see on a page what they did.',
    '请在你自己的空文件夹里输入这些命令：在这个网关所服务的文件夹里，它自己会做掉一部分。一课之后在那里输入“detent serve”，就能在页面上看到它们做了什么。',
  ],
  install: ['How to get the command "detent" in every folder', '怎样让每个文件夹都有“detent”这个命令'],
  none: ['There is no such lesson.', '没有这一课。'],
});
