import { isObject, parseJson } from '#src/protocol/json.ts';
import { givenCall, isGivenCall } from '../data/runs.ts';
import { visible } from './visible.ts';

/** What a run or a session says of itself in lists. */
interface Titled {
  /** Its first words; of a workflow its input, of a chart's question its text. */
  prompt: string;
  /** The id of its chart, if it is a workflow. */
  workflow?: string | undefined;
  model?: string | null | undefined;
}

/** What people read first of a run: its words; of a workflow its name and what it is about; of a given call its tool. */
export function runTitle({ prompt, workflow, model }: Titled): string {
  if (workflow !== undefined) {
    const about = aboutOf(prompt);
    return visible(about === '' ? workflow : `${workflow}: ${about}`);
  }
  const tool = isGivenCall(model) ? (model ?? '').replace(givenCall, '') : '';
  return visible(prompt || tool);
}

const longest = 60;

/** The one value of an input that tells it from others. An input that was cut, or has only longer values, has none. */
function aboutOf(input: string): string {
  const given = parseJson(input);
  if (given === undefined) return /^[[{]/.test(input) ? '' : input;
  const values = isObject(given) ? Object.values(given) : [given];
  const telling = values.find((value) => {
    if (typeof value === 'string') return value !== '' && value.length <= longest;
    return typeof value === 'number';
  });
  return telling === undefined ? '' : String(telling);
}
