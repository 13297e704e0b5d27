import type { outcomes } from '#src/protocol/enums.ts';
import { words } from '../../../base/words.ts';

type Pairs = Record<(typeof outcomes)[number], readonly [en: string, zh: string]>;

const t = words({
  completed: ['Done.', '完成。'],
  completed_degraded: ['Done, but with losses.', '完成，但结果不够好。'],
  done: ['Done.', '完成。'],
  failed: ['The run failed.', '运行失败。'],
  cancelled: ['The run was cancelled.', '运行已取消。'],
  max_steps: ['The run reached its maximum number of steps.', '运行达到了步数上限。'],
  budget_exhausted: ['The budget is used up.', '预算已用完。'],
  deadline: ['The run ran out of time.', '运行已超时。'],
  loop_detected: ['Tool calls failed again and again.', '工具调用一再失败。'],
  refused: ['The model refused to answer.', '模型拒绝回答。'],
  content_filtered: ['A content filter cut the answer.', '内容过滤器截断了回答。'],
  truncated: ['The answer reached the output limit of the model.', '回答达到了模型的输出上限。'],
  blocked_by_environment: ['A hook stopped the model call.', '一个 hook 阻止了模型调用。'],
  blocked_by_policy: ['Policy refused the calls that the model needed.', '策略拒绝了模型所需的调用。'],
  invalid_output: ['The answer does not fit the output schema.', '回答不符合输出 schema。'],
  provider_error: ['The model call failed.', '模型调用失败。'],
  internal_error: ['Detent itself failed.', 'Detent 自身出错。'],
  poisoned: ['The process died each time at this step.', '每次执行这一步时进程都会终止。'],
} satisfies Pairs);

/** How a run ended, as a sentence. An outcome of a newer Detent keeps its name. */
export function outcomeText(outcome: string): string {
  return Object.hasOwn(t, outcome) ? t[outcome as keyof typeof t] : outcome;
}
