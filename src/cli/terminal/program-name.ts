import { delimiter, dirname } from 'node:path';
import type { Variables } from '../../protocol/json.ts';
import { isSource } from '../../text/files.ts';
import { Styled, styled, type Text } from './styled.ts';

/**
 * What a person types in front of a command, so that hints name a command that this person has: in a clone started by
 * `npm start`, and with a copy that only a project has, there is no `detent`.
 *
 * @param script the file that Node was started with; npm links it into `node_modules/.bin`
 */
export function programName(env: Variables, script = ''): string {
  const { npm_lifecycle_event: event, npm_package_name: project, npm_lifecycle_script: line = '' } = env;
  if (isSource && project === 'detent' && (event === 'start' || event === 'detent'))
    return 'npm run -s detent --';
  if (event === 'npx' && /^"?detent\b/.test(line)) return 'npx detent';
  const folder = dirname(script);
  if (!/[\\/]node_modules[\\/]\.bin$/.test(folder)) return 'detent';
  // The scripts of npm have this folder in their PATH; the shell of the person who started them has not.
  const isReachable = event === undefined && (env.PATH ?? '').split(delimiter).includes(folder);
  return isReachable ? 'detent' : 'npx detent';
}

const command =
  /(?<![\w./:@-])detent ((?:--help|backup|chat|completion|config|cron|db|doctor|help|init|inspect|machine|mcp|memory|models|restore|run|runs|serve|sessions|shop|skills|tenant|token|tools|trust|usage|users|workflow)\b(?: [a-z]+)?)/g;

/** The commands that take a gateway, or a tenant: hints of a command that was given one name it again. */
const taking = {
  server:
    /^(?:(?:run|chat)\b|(?:runs|sessions|skills|memory) [a-z]+|cron (?!serve|next)[a-z]+|workflow (?!check)[a-z]+)/,
  tenant: /^runs [a-z]+/,
};

/** What hints name again, as it is typed. */
export interface HintFlags {
  of: keyof typeof taking;
  typed: string;
}

/**
 * Text for people with each command of Detent as this person types it.
 *
 * @param flags put behind the words of each command that takes them
 */
export function asTyped(text: Text, name: string, flags: HintFlags | null = null): Text {
  if (name === 'detent' && flags === null) return text;
  if (typeof text === 'string')
    return text.replaceAll(command, (_, words: string) => {
      const [known] = (flags && taking[flags.of].exec(words)) ?? [];
      return flags === null || known === undefined
        ? `${name} ${words}`
        : `${name} ${known} ${flags.typed}${words.slice(known.length)}`;
    });
  if (text instanceof Styled) return styled(text.style, asTyped(text.text, name, flags));
  return isList(text) ? text.map((part) => asTyped(part, name, flags)) : text;
}

function isList(text: Text): text is readonly Text[] {
  return Array.isArray(text);
}
