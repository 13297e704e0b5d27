/** What of the page's styles a drawing of its own must carry along. */
const carried = [
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-width',
  'stroke-opacity',
  'stroke-dasharray',
  'stroke-linejoin',
  'stroke-linecap',
  'opacity',
  'font-family',
  'font-size',
  'font-weight',
  'font-stretch',
  'letter-spacing',
  'paint-order',
  'text-anchor',
  'visibility',
  'display',
] as const;

const margin = 16;

/** A drawing of the page as a file: with the styles that it has now, the colours as other programs read them, and its ground. */
export function svgText(drawn: SVGSVGElement): string {
  const copy = drawn.cloneNode(true) as SVGSVGElement;
  const originals = [drawn, ...drawn.querySelectorAll<SVGElement>('*')];
  const copies = [copy, ...copy.querySelectorAll<SVGElement>('*')];
  originals.forEach((original, i) => {
    const style = getComputedStyle(original);
    const target = copies[i];
    if (!target) return;
    for (const name of carried) {
      const value = style.getPropertyValue(name);
      if (value !== '' && value !== 'normal' && value !== 'auto')
        target.setAttribute(name, plainColour(value));
    }
    if (style.color) target.setAttribute('color', plainColour(style.color));
    target.removeAttribute('class');
    target.removeAttribute('tabindex');
  });
  const { x, y, width, height } = areaOf(drawn);
  const box = [x - margin, y - margin, width + 2 * margin, height + 2 * margin];
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  copy.setAttribute('viewBox', box.join(' '));
  copy.setAttribute('width', String(Math.ceil(box[2] ?? 0)));
  copy.setAttribute('height', String(Math.ceil(box[3] ?? 0)));
  copy.removeAttribute('style');
  const ground = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
  ['x', 'y', 'width', 'height'].forEach((name, i) => {
    ground.setAttribute(name, String(box[i]));
  });
  ground.setAttribute('fill', plainColour(getComputedStyle(document.body).backgroundColor));
  copy.prepend(ground);
  return new XMLSerializer().serializeToString(copy);
}

/** What is drawn, without how it is panned and zoomed. */
function areaOf(drawn: SVGSVGElement): DOMRect {
  const inner = drawn.querySelector<SVGGraphicsElement>(':scope > g');
  const moved = inner?.getAttribute('transform');
  if (!inner || !moved) return drawn.getBBox();
  inner.removeAttribute('transform');
  const area = drawn.getBBox();
  inner.setAttribute('transform', moved);
  return area;
}

let brush: CanvasRenderingContext2D | null = null;

/** Colours in the notation of CSS 4 as red, green and blue; other values as they are. */
function plainColour(value: string): string {
  if (!/^(?:oklch|oklab|lab|lch|color)\(/.test(value)) return value;
  brush ??= document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  if (!brush) return value;
  brush.clearRect(0, 0, 1, 1);
  brush.fillStyle = value;
  brush.fillRect(0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0, alpha = 255] = brush.getImageData(0, 0, 1, 1).data;
  return `rgba(${red},${green},${blue},${Math.round((alpha / 255) * 1_000) / 1_000})`;
}

const pixelRatio = 2;

/** A drawing as a picture. */
export async function pngOf(svg: string): Promise<Blob> {
  const image = new Image();
  const url = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
  try {
    image.src = url;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = image.naturalWidth * pixelRatio;
    canvas.height = image.naturalHeight * pixelRatio;
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) => {
      canvas.toBlob(
        (blob) => (blob ? resolve(blob) : reject(new Error('the picture is too large'))),
        'image/png',
      );
    });
  } finally {
    URL.revokeObjectURL(url);
  }
}
