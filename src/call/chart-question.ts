import { type ChartQuestion, chartQuestionTool } from '../ports/chart-question.ts';
import type { CallPlan, Toolbox, ToolOutcome } from '../ports/toolbox.ts';

/**
 * The toolbox of a run that asks a person a chart's question, by one call of the tool `ask`. Only a person can answer
 * it: no rule of the policy does, and a run that asks no one refuses the call.
 */
export function withChartQuestion(toolbox: Toolbox, asked: ChartQuestion): Toolbox {
  return {
    ...toolbox,
    async plan(name, raw, ctx) {
      if (name !== chartQuestionTool) return toolbox.plan(name, raw, ctx);
      return ctx.approve === 'none' ? nobodyToAsk : planOf(asked);
    },
    async run(name, raw, ctx) {
      if (name !== chartQuestionTool) return toolbox.run(name, raw, ctx);
      return outcomeOf(asked, ctx.answer);
    },
    // The answer is a person's own text, so it is trusted.
    isUntrusted: (name, raw) => name !== chartQuestionTool && toolbox.isUntrusted(name, raw),
  };
}

const nobodyToAsk: CallPlan = {
  gate: 'refuse',
  code: 'NOBODY_TO_ASK',
  text: 'The workflow asks a person, and its runs ask nobody: start it with approve "ask".',
  why: 'run option: approve none',
};

function planOf(asked: ChartQuestion): CallPlan {
  if ('approval' in asked)
    return { gate: 'ask', sideEffect: 'readonly', why: asked.approval.text, asIs: true };
  return { gate: 'ask', sideEffect: 'readonly', why: 'the workflow asks', question: asked.question };
}

/** Only an approved call runs, or one whose question was answered. */
function outcomeOf(asked: ChartQuestion, answer: unknown): ToolOutcome {
  if ('approval' in asked) return { isError: false, code: null, text: 'approved' };
  if (answer === undefined)
    return { isError: true, code: 'NOT_ANSWERED', text: 'The question has no answer.' };
  return { isError: false, code: null, text: typeof answer === 'string' ? answer : JSON.stringify(answer) };
}
