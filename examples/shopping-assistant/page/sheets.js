/** @import { Answer, Client, QuestionView } from 'detent/client' */
/** @import { Cart } from 'detent/shop' */
import { line, names, titled } from './cards.js';
import { button, el, find } from './dom.js';
import { price, t } from './words.js';

/** What waits for the customer. @typedef {{ runId: string, callId: string, hash: string, question?: QuestionView, name: string, args: string, decides?: string }} Waiting */

const place = find('ask', HTMLElement);
const box = find('box', HTMLDialogElement);
/** @type {Waiting | undefined} */
let shown;

/** Shows what waits first, or nothing. @param {Waiting | undefined} waiting @param {Client} client */
export function ask(waiting, client) {
  if (waiting?.callId === shown?.callId && waiting?.runId === shown?.runId) return;
  shown = waiting;
  place.replaceChildren();
  if (!waiting) return;
  const { runId, callId, hash, question } = waiting;
  const failed = el('p', 'note');
  /** @param {() => Promise<unknown>} act */
  const once = (act) => async () => {
    for (const one of place.querySelectorAll('button')) one.disabled = true;
    await act().catch(() => {
      failed.textContent = t('failed');
      for (const one of place.querySelectorAll('button')) one.disabled = false;
    });
  };
  if (question)
    return place.append(
      ...questionOf(question, (answer) => once(() => client.answer(runId, callId, answer, hash))()),
      failed,
    );
  place.append(
    el('b', '', t('confirm')),
    ...sentences(waiting).map((text) => el('p', '', text)),
    el(
      'div',
      'acts',
      button(
        t('no'),
        once(() =>
          client.confirm(runId, callId, { verdict: 'reject', hash, reason: 'the customer declined' }),
        ),
      ),
      button(
        t('yes'),
        once(() => client.confirm(runId, callId, { verdict: 'approve', hash })),
        'main',
      ),
    ),
    failed,
  );
}

/** What a call would do, in words. @param {Pick<Waiting, 'name' | 'args'>} call */
function sentences({ name, args }) {
  const {
    action,
    itemId,
    quantity,
    orderId,
    reason,
    below,
    code,
    itemIds = [],
    newItemIds = [],
    approval: _,
    ...more
  } = JSON.parse(args);
  /** @param {string} id */
  const named = (id) => names.get(id) ?? id;
  const what = t(action ?? { request_refund: 'refund', watch_price: 'watch' }[name] ?? name);
  const rest = Object.values(more).map((value) =>
    typeof value === 'object' ? Object.values(value).join(', ') : String(value),
  );
  return [
    [
      what,
      orderId,
      itemId && `${quantity > 1 ? `${quantity} × ` : ''}${named(itemId)}`,
      code,
      below && `· ${t('below')} ¥${below}`,
    ]
      .filter(Boolean)
      .join(' '),
    ...[
      itemIds.map(named).join(', '),
      newItemIds.map(named).join(', '),
      reason && t(reason),
      rest.join(' · '),
    ].filter(Boolean),
  ];
}

/** @param {QuestionView} question @param {(answer?: Answer) => unknown} answer */
function questionOf({ text, options = [], multiple, fields }, answer) {
  const skip = button(t('skip'), () => answer());
  const title = el('b', '', text);
  if (options.length > 0 && !multiple)
    return [title, el('div', 'acts', ...options.map((one) => button(one, () => answer(one)))), skip];
  const asked = fields ?? [
    {
      name: 'answer',
      type: 'text',
      title: '',
      options: options.map((value) => ({ value, title: value })),
      multiple,
    },
  ];
  const form = el(
    'form',
    'list',
    ...asked.map(({ name, type, title: label, options: choices = [] }) => {
      const input =
        choices.length > 0
          ? el(
              'select',
              { name, multiple: Boolean(multiple) },
              ...choices.map(({ value, title: shows = value }) => el('option', { value }, shows)),
            )
          : el('input', {
              name,
              ariaLabel: label || text,
              type: type === 'boolean' ? 'checkbox' : type === 'text' ? 'text' : 'number',
            });
      return label ? el('label', '', label, ' ', input) : input;
    }),
    el('div', 'acts', skip, el('button', 'main', t('answer'))),
  );
  form.onsubmit = (event) => {
    event.preventDefault();
    const given = new FormData(form);
    const values = asked.map(({ name, type }) => {
      const value = String(given.get(name) ?? '');
      return [name, type === 'boolean' ? given.has(name) : type === 'text' ? value : Number(value)];
    });
    answer(
      fields
        ? Object.fromEntries(values)
        : multiple
          ? given.getAll('answer').map(String)
          : String(given.get('answer')),
    );
  };
  return [title, form];
}

/** @param {string} title @param {...Node} parts */
function open(title, ...parts) {
  box.ariaLabel = title;
  box.replaceChildren(
    el(
      'div',
      'list',
      line(
        el('b', '', title),
        button(t('close'), () => box.close()),
      ),
      ...parts,
    ),
  );
  if (!box.open) box.showModal();
}

/** @param {Cart} cart @param {(change: object) => unknown} change @param {() => unknown} pay */
export function cartSheet({ lines, discount, total }, change, pay) {
  if (lines.length === 0) return open(t('cart'), el('p', '', t('empty')));
  open(
    t('cart'),
    ...lines.map(({ itemId, name, options, quantity, total: sum }) =>
      line(
        `${titled(name, options)} · ${price(sum)}`,
        el(
          'div',
          'less',
          Object.assign(
            button('−', () =>
              change(
                quantity > 1
                  ? { action: 'change', itemId, quantity: quantity - 1 }
                  : { action: 'remove', itemId },
              ),
            ),
            { ariaLabel: `− ${name}` },
          ),
          String(quantity),
          Object.assign(
            button('+', () => change({ action: 'change', itemId, quantity: quantity + 1 })),
            { ariaLabel: `+ ${name}` },
          ),
        ),
      ),
    ),
    ...(discount.minor > 0 ? [line(t('discount'), `−${price(discount)}`)] : []),
    line(el('b', '', t('total')), el('b', '', price(total))),
    button(t('pay'), pay, 'main'),
  );
}

/** @param {(user: string, password: string) => Promise<boolean>} logIn */
export function loginSheet(logIn) {
  const wrong = el('p', { role: 'alert' });
  const user = el('input', { name: 'user', autocomplete: 'username', required: true });
  const password = el('input', {
    name: 'password',
    type: 'password',
    autocomplete: 'current-password',
    required: true,
  });
  const form = el(
    'form',
    '',
    el('label', '', t('user'), user),
    el('label', '', t('password'), password),
    wrong,
    el('button', 'main', t('login')),
    el('p', 'note', t('demo')),
  );
  form.onsubmit = async (event) => {
    event.preventDefault();
    if (!(await logIn(user.value, password.value))) wrong.textContent = t('wrong');
  };
  open(t('login'), form);
}

/** @param {string} text @param {() => unknown} [act] */
export function toast(text, act) {
  const note = el('div', '', text, act ? button(t('show'), act) : null);
  find('toasts', HTMLElement).append(note);
  setTimeout(() => note.remove(), act ? 20_000 : 4_000);
}
