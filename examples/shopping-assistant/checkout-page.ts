import type { Checkout, Customer, Money, Order } from 'detent/shop';

const escaped = (text: string) => text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

const amount = ({ minor, currency }: Money) =>
  new Intl.NumberFormat('zh-CN', { style: 'currency', currency }).format(minor / 100);

const kinds: Readonly<Record<Customer['paymentMethods'][number]['kind'], string>> = {
  credit_card: '银行卡 Card',
  gift_card: '礼品卡 Gift card',
  paypal: 'PayPal',
};

/** The page where a customer pays: no part of the assistant, which only knows its link. */
export function checkoutPage(paid: Checkout | Order | null, customer: Customer | null): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Pay · 付款</title><link rel="stylesheet" href="/style.css"></head><body class="pay"><main>${content(paid, customer)}
<p><a href="/">← 返回商店 Back to the shop</a></p></main></body></html>`;
}

function content(paid: Checkout | Order | null, customer: Customer | null): string {
  if (paid === null) return '<h1>404</h1><p>没有这笔付款 There is no such payment.</p>';
  if ('payments' in paid)
    return `<h1>谢谢 Thank you</h1><p>订单 Order <b>${escaped(paid.id)}</b> · ${amount(paid.total)}</p>`;
  const { cart } = paid;
  const lines = cart.lines.map(
    ({ quantity, name, options, total }) =>
      `<li>${quantity} × ${escaped([name, ...Object.values(options)].join(' · '))} <b>${amount(total)}</b></li>`,
  );
  const methods = customer?.paymentMethods.map(
    ({ id, kind }, i) =>
      `<label><input type="radio" name="method" value="${escaped(id)}"${i === 0 ? ' checked' : ''}> ${kinds[kind]}</label>`,
  );
  const form = methods
    ? `<form method="post">${methods.join('')}<button class="main">付款 Pay ${amount(cart.total)}</button></form>`
    : '<p>请先登录 Please log in on the page of the shop first.</p>';
  return `<h1>付款 Pay</h1><ul>${lines.join('')}</ul><p>合计 Total <b>${amount(cart.total)}</b></p>${form}`;
}
