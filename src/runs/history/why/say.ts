import {
  fill,
  reasonTemplates,
  type Sentence,
  type SentenceValue,
  type Wording,
} from '../../../protocol/views.ts';
import { dueIn, duration, isoTime } from '../../../text/wording.ts';
import { english } from './english.ts';

type Templates = typeof english;

/** A value of a hole in a template: `{name}`, `{name:duration}`, `{n:once|# times}`. */
type ValueOf<Form extends string> = Form extends 'duration' | 'time' | 'due' | `${string}|${string}`
  ? number
  : Form extends 'status'
    ? string
    : SentenceValue;

type Holes<Template extends string> = Template extends `${string}{${infer Hole}}${infer Rest}`
  ? (Hole extends `${infer Name}:${infer Form}`
      ? { [Key in Name]: ValueOf<Form> }
      : { [Key in Hole]: SentenceValue }) &
      Holes<Rest>
  : unknown;

type Optional<Params> = { [Name in keyof Params]?: Params[Name] | undefined };

/** The values that a template needs; those in brackets may be left out. */
type ParamsOf<Template extends string> = Template extends `${infer Before}[${infer Part}]${infer After}`
  ? Holes<Before> & Optional<Holes<Part>> & ParamsOf<After>
  : Holes<Template>;

/** One sentence of `why`, with each value that its template needs. */
export function say<Code extends keyof Templates>(
  code: Code,
  ...[params]: unknown extends ParamsOf<Templates[Code]> ? [] : [ParamsOf<Templates[Code]>]
): Sentence {
  const given: [string, SentenceValue | undefined][] = Object.entries(params ?? {});
  return {
    code,
    params: Object.fromEntries(
      given.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    ),
  };
}

const wording: Wording = {
  duration,
  time: isoTime,
  due: dueIn,
  status: (status) => status,
  separator: '; ',
  sentence: inEnglish,
};

const templates: Readonly<Record<string, string>> = { ...english, ...reasonTemplates };

export function inEnglish({ code, params }: Sentence): string {
  return fill(templates[code] ?? code, params, wording);
}
