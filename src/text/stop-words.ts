import { segment } from './segment.ts';

/** Words that questions are full of and that say nothing of their subject. */
const english = `
a about after again all also am an and any are as at be because been before being both but by can could did do does doing
down during each few for from further had has have having he her here hers him his how i if in into is it its itself just
let me more most my no nor not of off on once only or other our ours out over own please same she should so some
such tell than that the their theirs them then there these they this those through to too under until up very was we were
what when where which while who whom whose why will with would you your yours s t d ll m re ve don doesn didn isn wasn`;

const chinese = `
什么 多少 哪些 哪个 哪里 哪儿 哪一 哪年 哪位 怎么 怎样 怎麼 什麼 甚么 为何 为什 为什么 是什 是谁 谁是 如何 几个 是否 请问 可以 我们 你们 他们 她们
它们 这个 那个 这些 那些 这里 那里 一个 一些 没有 不是 就是 还是 或者 以及 因为 所以 但是 的是 是的 了吗 的吗 是哪 有哪 有什 么时 时候 什么时候
告诉 的话 之前 以前 的 了 是 在 和 与 吗 呢 吧 啊 我 你 他 她 它 有 也 都 就 很`;

/** Whether a term, as it comes out of segmentation, says nothing of a subject. */
export const isStopTerm: (term: string) => boolean = termOf(`${english} ${chinese}`);

/** Whether a term is one of these words. They are segmented for the first term: that takes 4 ms of a start. */
export function termOf(words: string): (term: string) => boolean {
  let terms: ReadonlySet<string> | null = null;
  return (term) => {
    terms ??= new Set(words.split(/\s+/).flatMap((word) => segment(word).map((token) => token.term)));
    return terms.has(term);
  };
}
