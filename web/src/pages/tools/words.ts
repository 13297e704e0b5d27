import { words } from '../../base/words.ts';

export const t = words({
  title: ['Tools', '工具'],
  about: [
    'What agents can do here, which calls ask you first, and by which rule.',
    '智能体在这里能做什么，哪些调用会先问你。起决定作用的规则都标在上面。',
  ],
  search: ['Search tools', '搜索工具'],
  asks: ['asks you', '会先问你'],
  runs: ['runs', '直接执行'],
  off: ['off', '已停用'],
  readonly: ['only reads', '只读'],
  idempotent: ['may be repeated', '可以重复执行'],
  probe: ['Detent can check whether it ran', 'Detent 能查出它是否执行过'],
  unsafe: ['must not run twice: after a crash Detent asks you', '不能执行两次：崩溃后 Detent 会问你'],
  depends: ['depends on the arguments', '取决于参数'],
  parameters: ['Arguments', '参数'],
  required: ['required', '必填'],
  noParameters: ['It takes no arguments.', '它没有参数。'],
  rule: ['Rule', '规则'],
  repeated: ['If repeated', '如果重复'],
  enabled: [(n: number) => `${n} at work`, (n) => `${n} 个可用`],
  disabled: [(n: number) => `, ${n} off`, (n) => `，${n} 个停用`],
  none: [(query: string) => `No tool matches “${query}”.`, (query) => `没有与“${query}”相符的工具。`],
});
