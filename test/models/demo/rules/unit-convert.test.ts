import { describe, expect, it } from 'vitest';
import { callsFor } from '../support.ts';

describe('demo unit conversion rule', () => {
  it.each([
    ['convert 10 miles to km', 10, 'mile', 'km'],
    ['10 miles to km', 10, 'mile', 'km'],
    ['convert 1,500.5 grams into pounds please', 1500.5, 'g', 'lb'],
    ['what is 100 fahrenheit in celsius?', 100, 'fahrenheit', 'celsius'],
    ['-40°F to °C', -40, 'fahrenheit', 'celsius'],
    ['how many feet are in 3 yards', 3, 'yard', 'foot'],
    ['how many km is 10 miles?', 10, 'mile', 'km'],
    ['how many miles are there in five km', 5, 'km', 'mile'],
    ['60 mph in km/h', 60, 'mi/h', 'km/h'],
    ['10 in to cm', 10, 'inch', 'cm'],
  ])('converts in English: %s', async (text, value, from, to) => {
    expect(await callsFor(text)).toEqual([['unit_convert', { value, from, to }]]);
  });

  it.each([
    ['100 华氏度是多少摄氏度', 100, 'fahrenheit', 'celsius'],
    ['5公里等于多少英里', 5, 'km', 'mile'],
    ['十公里是多少英里？', 10, 'km', 'mile'],
    ['把10英里换算成公里', 10, 'mile', 'km'],
    ['请把 5 公斤转换为磅', 5, 'kg', 'lb'],
    ['多少英里是5公里', 5, 'km', 'mile'],
  ])('converts in Chinese: %s', async (text, value, from, to) => {
    expect(await callsFor(text)).toEqual([['unit_convert', { value, from, to }]]);
  });

  it.each([
    'convert me to a believer',
    '10 reasons to stay',
    'convert 10 apples to pears',
    'I ran 10 miles to km 5',
    '5个苹果等于多少个梨',
  ])('leaves alone: %s', async (text) => {
    expect(await callsFor(text)).toEqual([]);
  });
});
