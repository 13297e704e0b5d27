import type { QuestionView } from '../protocol/run-view.ts';

/** What a chart of the user asks a person: to be answered, or to be approved or rejected. */
export type ChartQuestion = { question: QuestionView } | { approval: { text: string } };

/** The tool that asks it. Only the runs of such questions have it. */
export const chartQuestionTool = 'ask';
