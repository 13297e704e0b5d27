/** @import { Client, ClientEvent } from 'detent/client' */
/** @import { Acts } from './cards.js' */
/** @import { Waiting } from './sheets.js' */
import { cards } from './cards.js';
import { button, el, find } from './dom.js';
import { toast } from './sheets.js';
import { t } from './words.js';

const log = find('log', HTMLElement);
/** @param {Error} error */
const sorry = (error) => void toast(error.message);

/** @param {string} who @param {string} text */
export const bubble = (who, text) =>
  el('div', `msg ${who}`, who === 'user' ? null : el('small', '', t(who)), el('span', '', text));

/**
 * A run as it is told by its events, live and afterwards alike.
 *
 * @param {Client} client @param {string} runId
 * @param {Acts & { changed: () => void, cartMoved: () => void, heard: (text: string) => void, takenOver: () => unknown, rate: (thumb: 'up' | 'down', reason?: string) => Promise<unknown>, rated: () => 'up' | 'down' | undefined }} page
 */
export function tell(client, runId, page) {
  const node = log.appendChild(el('section', 'run'));
  /** @type {Map<string, Waiting>} */
  const waiting = new Map();
  /** @type {Map<number, { node: HTMLElement, text: Text }>} */
  const answers = new Map();
  const run = { node, waiting, busy: '' };

  /** @param {number} effectId */
  function answer(effectId) {
    const known = answers.get(effectId);
    if (known) return known;
    const text = document.createTextNode('');
    const made = {
      node: el('div', 'msg assistant', el('small', '', t('assistant')), el('span', '', text)),
      text,
    };
    answers.set(effectId, made);
    node.append(made.node);
    return made;
  }

  /** @param {ClientEvent} event */
  function take({ event, payload }) {
    switch (event) {
      case 'user.message':
        page.heard(payload.content);
        return node.append(bubble('user', payload.content));
      case 'staff.message':
        return node.append(bubble('staff', payload.content));
      case 'step.begin':
        run.busy = 'busy';
        return;
      case 'assistant.delta':
        answer(payload.effectId).text.data += payload.content;
        return;
      case 'assistant.reset':
        answers.get(payload.effectId)?.node.remove();
        return void answers.delete(payload.effectId);
      case 'assistant.message': {
        const said = payload.content || payload.refusal;
        if (said) answer(payload.effectId).text.data = said;
        else answers.get(payload.effectId)?.node.remove();
        if (!said) answers.delete(payload.effectId);
        return;
      }
      case 'tool.call':
        run.busy = payload.name;
        return;
      case 'tool.confirm_request':
        if (payload.decides === 'user') return wait(payload);
        run.busy = '';
        return node.append(el('p', 'note', t('later')));
      case 'question.asked':
        return wait(payload);
      case 'question.answered':
        if (payload.answer !== undefined)
          node.append(
            bubble(
              'user',
              String(
                Object.values(Object(payload.answer)).length && typeof payload.answer === 'object'
                  ? Object.values(payload.answer).join(', ')
                  : payload.answer,
              ),
            ),
          );
        return void waiting.delete(payload.callId);
      case 'tool.confirm_resolved':
        node.append(el('p', 'note', t(payload.verdict)));
        return void waiting.delete(payload.callId);
      case 'tool.result':
        waiting.delete(payload.callId);
        if (payload.data) node.append(...cards(payload.data, page));
        if (payload.name === 'cart_manager') page.cartMoved();
        return;
      case 'takeover.changed':
        if (payload.state !== 'waiting') node.append(el('p', 'note', t(payload.state)));
        return void page.takenOver();
      case 'lifecycle.error':
      case 'lifecycle.end': {
        if (event === 'lifecycle.error') node.append(el('p', 'note', t('failed')));
        waiting.clear();
        run.busy = '';
        const last = [...answers.values()].at(-1);
        if (last && payload.status === 'done') last.node.after(thumbs());
      }
    }
  }

  /** @param {{ callId: string, name: string, arguments: string, argumentsHash: string, question?: Waiting['question'] }} asked */
  function wait({ callId, name, arguments: args, argumentsHash: hash, question }) {
    run.busy = '';
    waiting.set(callId, { runId, callId, name, args, hash, question });
  }

  function thumbs() {
    const row = el('div', 'rate');
    /** @param {'up' | 'down'} thumb @param {string} sign */
    const one = (thumb, sign) =>
      Object.assign(
        button(sign, async () => {
          if (!(await page.rate(thumb).then(Boolean, sorry))) return;
          for (const other of row.querySelectorAll('button'))
            other.ariaPressed = String(other.textContent === sign);
          row.querySelector('form')?.remove();
          if (thumb === 'down') row.appendChild(reason()).scrollIntoView({ block: 'nearest' });
        }),
        { ariaLabel: t(thumb === 'up' ? 'good' : 'bad'), ariaPressed: String(page.rated() === thumb) },
      );
    row.append(one('up', t('good')), one('down', t('bad')));
    return row;
  }

  function reason() {
    const input = el('input', { placeholder: t('why'), ariaLabel: t('why'), maxLength: 2000 });
    const form = el('form', 'less', input, el('button', '', t('send')));
    form.onsubmit = async (event) => {
      event.preventDefault();
      if (await page.rate('down', input.value).then(Boolean, sorry))
        form.replaceWith(el('span', 'note', t('thanks')));
    };
    return form;
  }

  (async () => {
    for await (const event of client.watch(runId)) {
      take(event);
      page.changed();
    }
  })().catch(() => node.append(el('p', 'note', t('failed'))));
  return run;
}
