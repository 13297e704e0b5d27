/**
 * An element. Text is set as text: nothing of the shop or a model becomes markup.
 *
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Partial<Omit<HTMLElementTagNameMap[T], 'style'>> | string} [props] its properties, or its class
 * @param {...(Node | string | null | undefined)} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function el(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  Object.assign(node, typeof props === 'string' ? { className: props } : props);
  node.append(...children.filter((child) => child != null));
  return node;
}

/** @param {string | Node} text @param {() => unknown} onclick */
export function button(text, onclick, className = '') {
  return el('button', { type: 'button', className, onclick }, text);
}

/**
 * @template {HTMLElement} T
 * @param {string} id @param {new () => T} type
 * @returns {T}
 */
export function find(id, type) {
  const found = document.getElementById(id);
  if (found instanceof type) return found;
  throw new Error(`no #${id}`);
}
