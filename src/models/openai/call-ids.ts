import { shortHash } from '../../text/ids.ts';
import type { Quirks } from '../catalogue/quirks.ts';

/** The format of call ids: at a server of the chat wire, or (`max64`) on the Responses wire. */
type IdForm = Quirks['callIds'] | 'max64';

const forms: Readonly<Record<IdForm, RegExp>> = {
  any: /^/,
  max40: /^.{1,40}$/su,
  max64: /^.{1,64}$/su,
  alphanumeric9: /^[a-zA-Z0-9]{9}$/,
};

/**
 * Gives the calls of a prompt and their results ids that the server accepts. An id of the right form stays. Any other is
 * replaced by a unique one, which is the same every time for the same prompt.
 */
export class CallIds {
  readonly #form: RegExp;
  readonly #taken = new Set<string>();
  /** Calls without a result yet, by their original id. */
  readonly #open = new Map<string, string[]>();

  constructor(form: IdForm) {
    this.#form = forms[form];
  }

  forCall(id: string): string {
    let sent = id;
    // Generated ids have nine letters and digits, which every form accepts.
    for (let n = 1; !this.#form.test(sent) || this.#taken.has(sent); n++)
      sent = shortHash(n === 1 ? id : `${id} ${n}`).slice(-9);
    this.#taken.add(sent);
    const open = this.#open.get(id);
    if (open) open.push(sent);
    else this.#open.set(id, [sent]);
    return sent;
  }

  /** A result without a call keeps its id: the server reports the error. */
  forResult(id: string): string {
    return this.#open.get(id)?.shift() ?? id;
  }
}
