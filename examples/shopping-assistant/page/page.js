/** @import { Cart } from 'detent/shop' */
import { createClient } from './client.min.js';
import { button, el, find } from './dom.js';
import { ask, cartSheet, loginSheet, toast } from './sheets.js';
import { bubble, tell } from './story.js';
import { lang, price, t } from './words.js';

document.documentElement.lang = lang;
for (const node of document.querySelectorAll('[data-t]'))
  node.textContent = t(node.getAttribute('data-t') ?? '');
const main = document.querySelector('main') ?? document.body;
const [log, busy, state] = [find('log', HTMLElement), find('busy', HTMLElement), find('state', HTMLElement)];
const text = find('text', HTMLTextAreaElement);
text.placeholder = text.ariaLabel = t('ask');

/** @param {string} path @param {unknown} [body] @param {string} [method] */
async function shop(path, body = {}, method = 'POST') {
  const init =
    method === 'GET' ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
  const response = await fetch(path, { method, ...init });
  const answer = await response.json();
  if (!response.ok) throw Object.assign(new Error(answer.message ?? t('failed')), answer);
  return answer;
}
/** @param {Error} error */
const sorry = (error) => toast(error.message);

/** Who this is. A login that is under way in another tab is given a moment. */
const enter = () =>
  shop('/me').catch(async () => {
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    return shop('/me', { again: true });
  });
const me = await enter();
const client = createClient({
  url: `${location.origin}/agent`,
  // The first one is here; a later one is asked for, because that one is over.
  token: async () => {
    const { token, userId } = me.isUsed ? await enter() : me;
    if (userId !== me.userId) location.reload();
    me.isUsed = true;
    return token;
  },
  // Of this tab: what was written without a connection is sent after a reload, too.
  storage: {
    get: (key) => sessionStorage.getItem(key),
    set: (key, value) => sessionStorage.setItem(key, value),
  },
  onRestored: ({ prompt, run }) => sent(prompt, run.started),
  onState: (now) => {
    // An attempt is not a connection yet.
    if (now !== 'connecting') isOffline = now === 'waiting' || now === 'stopped';
    draw();
  },
});
let isOffline = false;
// A connection that the phone has lost may look open for a while.
addEventListener('offline', () => draw());
addEventListener('online', () => {
  client.connect();
  draw();
});

/** @type {Map<string, ReturnType<typeof tell>>} */
const runs = new Map();
/** What was said of answers, also before the page was loaded. @type {Map<string, 'up' | 'down'>} */
const thumbs = new Map();
let takeover = '';
/** The gateway puts the name of the user before it. */
let session = 'main';

/** Whether the end is on the screen: what comes then stays there, however high it is. */
let isAtEnd = true;
let lastTop = 0;
main.onscroll = () => {
  // More may have come before the browser says that it scrolled: only a person scrolls up.
  const isUp = main.scrollTop < lastTop;
  isAtEnd = main.scrollTop + main.clientHeight > main.scrollHeight - 160 || (isAtEnd && !isUp);
  lastTop = main.scrollTop;
};
const toEnd = () => {
  if (isAtEnd) main.scrollTop = main.scrollHeight;
};
// A card that a refund changes, or the field for a reason, makes it higher as well.
new ResizeObserver(toEnd).observe(log);

function draw() {
  const all = [...runs.values()];
  const [waiting] = all.flatMap((run) => [...run.waiting.values()]);
  ask(waiting, client);
  const at = all.findLast((run) => run.busy)?.busy;
  const doing = at && t(at) !== at ? at : 'busy';
  busy.textContent = at && !waiting ? `${t('assistant')} ${t(doing)}` : '';
  state.textContent =
    isOffline || !navigator.onLine
      ? t('offline')
      : takeover === 'waiting' || takeover === 'taken'
        ? t(takeover)
        : '';
  toEnd();
}
let isDue = false;
function changed() {
  if (isDue) return;
  isDue = true;
  requestAnimationFrame(() => {
    isDue = false;
    draw();
  });
}

/** @param {string} runId */
function follow(runId) {
  if (runs.has(runId)) return;
  runs.set(
    runId,
    tell(client, runId, {
      add: (id) =>
        changeCart({ action: 'add', itemId: id, quantity: 1 })
          .then(() => toast(t('added')))
          .catch(sorry),
      openCart,
      changed,
      cartMoved: readCart,
      heard: (words) => ghosts.get(words)?.shift()?.remove(),
      rate: (thumb, reason) =>
        client
          .request('session.rate', { sessionId: session, runId, thumb, ...(reason && { reason }) })
          .then(() => thumbs.set(runId, thumb)),
      rated: () => thumbs.get(runId),
      takenOver: look,
      async watchRefund(refund, told) {
        const show = async () => told(await client.get(refund));
        for await (const _ of client.watch(refund)) await show();
        await show();
      },
    }),
  );
}

/** What was written and is not yet in the conversation. @type {Map<string, HTMLElement[]>} */
const ghosts = new Map();

/** @param {string} words @param {Promise<{ runId: string, sessionId: string }>} started */
function sent(words, started) {
  const ghost = bubble('user', words);
  ghost.classList.add('ghost');
  ghosts.set(words, [...(ghosts.get(words) ?? []), ghost]);
  log.append(ghost);
  main.scrollTop = main.scrollHeight;
  started.then(
    ({ runId, sessionId }) => {
      session = sessionId;
      follow(runId);
    },
    (error) => {
      ghosts.get(words)?.shift();
      ghost.append(
        el(
          'small',
          '',
          error.message,
          ' ',
          button(t('again'), () => {
            ghost.remove();
            say(words);
          }),
        ),
      );
    },
  );
}

/** @param {string} words */
function say(words) {
  ideas.replaceChildren();
  if (words.trim()) sent(words, client.run(words, { sessionId: session, agent: 'shop' }).started);
}

const form = find('say', HTMLFormElement);
form.onsubmit = (event) => {
  event.preventDefault();
  say(text.value);
  text.value = '';
};
text.onkeydown = (event) => {
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  form.requestSubmit();
};
const ideas = find('ideas', HTMLElement);

const none = { minor: 0, currency: 'CNY' };
/** @type {Cart} */
let cart = { lines: [], coupon: null, subtotal: none, discount: none, total: none };
/** @param {Cart} now */
function hold(now) {
  cart = now;
  find('count', HTMLElement).textContent = String(
    cart.lines.reduce((sum, { quantity }) => sum + quantity, 0),
  );
  if (find('box', HTMLDialogElement).open && find('box', HTMLDialogElement).ariaLabel === t('cart'))
    openCart();
}
const readCart = () =>
  shop('/cart', {}, 'GET')
    .then(hold)
    .catch(() => {});
/** @param {object} change */
const changeCart = (change) => shop('/cart', { ...change, key: crypto.randomUUID() }).then(hold);
function openCart() {
  cartSheet(
    cart,
    (change) => changeCart(change).catch(sorry),
    () =>
      shop('/checkout', { key: crypto.randomUUID() })
        .then(({ url }) => location.assign(url))
        .catch(sorry),
  );
}

find('cart', HTMLElement).onclick = openCart;
find('lang', HTMLElement).textContent = lang === 'zh' ? 'EN' : '中文';
find('lang', HTMLElement).onclick = () => {
  localStorage.setItem('lang', lang === 'zh' ? 'en' : 'zh');
  location.reload();
};
const who = find('who', HTMLElement);
if (!me.isGuest) who.textContent = `${me.userId} · ${t('logout')}`;
who.onclick = () => {
  if (!me.isGuest) return shop('/logout').then(() => location.reload());
  loginSheet((user, password) =>
    shop('/login', { user, password }).then(
      () => {
        location.reload();
        return true;
      },
      () => false,
    ),
  );
};
find('fresh', HTMLElement).onclick = () => {
  sessionStorage.setItem('fresh', `chat-${Date.now().toString(36)}`);
  location.reload();
};

/** Prices that fell, and refunds that ended, also while the page was closed. */
const told = `told ${me.userId}`;
function hear() {
  const events = new EventSource(`/notices?after=${localStorage.getItem(told) ?? 0}`);
  events.onmessage = ({ data }) => {
    const { id, kind, data: about } = JSON.parse(data);
    localStorage.setItem(told, id);
    if (kind === 'price')
      toast(`${about.name} ${t('price')} ${price(about.price)}`, () => say(`${t('show')} ${about.name}`));
  };
  // A browser tries again by itself, but not after an answer that is an error, such as that of a shop that is starting.
  events.onerror = () => {
    if (events.readyState === EventSource.CLOSED) setTimeout(hear, 5_000);
  };
}
hear();
document.onvisibilitychange = readCart;

readCart();
const fresh = sessionStorage.getItem('fresh');
// Not those of refunds and watched prices, which are the customer's as well.
const before = (await client.sessions({ limit: 50 })).filter(
  ({ sessionId }) => !/^(?:cron|task|workflow):/.test(sessionId),
);
if (fresh && !before.some(({ sessionId }) => sessionId.endsWith(`:${fresh}`))) session = fresh;
else if (before[0]) session = before[0].sessionId;
/** What this conversation has, whichever device, job or person of the shop began it. @returns {Promise<boolean>} */
async function look() {
  try {
    const { history, takenOver, conversation } = await client.request('session.get', { sessionId: session });
    for (const { runId, rating } of conversation) if (rating) thumbs.set(runId, rating.thumb);
    for (const { runId } of history.slice(-30)) follow(runId);
    takeover = takenOver?.state ?? '';
    if (takenOver) follow(takenOver.runId);
    changed();
    return true;
  } catch {
    return false;
  }
}
const found = await look();
(async () => {
  for await (const { runId, sessionId } of client.feed())
    if (sessionId === session && !runs.has(runId)) await look();
})().catch(sorry);
if (!found) {
  log.prepend(bubble('assistant', t('welcome')));
  ideas.append(
    ...t('ideas')
      .split('|')
      .map((idea) => button(idea, () => say(idea))),
  );
}
draw();
