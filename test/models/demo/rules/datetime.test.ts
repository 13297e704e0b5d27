import { describe, expect, it } from 'vitest';
import { callsFor } from '../support.ts';

describe('demo date and time rule', () => {
  it.each([
    ['what time is it', {}],
    ['What time is it now?', {}],
    ["what's today's date?", {}],
    ['what day is it today', {}],
    ['current time', {}],
    ['what time is it in Tokyo', { timezone: 'Asia/Tokyo' }],
    ["what's the time in New York right now?", { timezone: 'America/New_York' }],
    ['please tell me the time in london', { timezone: 'Europe/London' }],
    ['what time is it in Europe/Oslo?', { timezone: 'Europe/Oslo' }],
  ])('tells the time in English: %s', async (text, args) => {
    expect(await callsFor(text)).toEqual([['datetime', args]]);
  });

  it.each([
    ['现在几点', {}],
    ['请问现在几点了？', {}],
    ['今天星期几', {}],
    ['今天是几月几号', {}],
    ['当前时间', {}],
    ['东京现在几点', { timezone: 'Asia/Tokyo' }],
    ['现在纽约是几点？', { timezone: 'America/New_York' }],
  ])('tells the time in Chinese: %s', async (text, args) => {
    expect(await callsFor(text)).toEqual([['datetime', args]]);
  });

  it.each([
    'time flies',
    'what time is good for you',
    'the time machine is a novel',
    'what time is it in Wonderland',
    '我的生日是几号',
    '明天星期几',
    '时间',
  ])('leaves alone: %s', async (text) => {
    expect(await callsFor(text)).toEqual([]);
  });
});
