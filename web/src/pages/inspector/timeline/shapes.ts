/** A shape of `shape-paths.ts`, parsed. */
export type CanvasShape = readonly { path: Path2D; stroke?: number | undefined }[];

/** Draws the shape of a state, which measures 12 pixels times `scale`. */
export function drawShape(
  canvas: CanvasRenderingContext2D,
  shape: CanvasShape,
  x: number,
  y: number,
  scale: number,
  colour: string,
): void {
  canvas.save();
  canvas.translate(x, y);
  canvas.scale(scale, scale);
  canvas.fillStyle = colour;
  canvas.strokeStyle = colour;
  canvas.lineCap = 'round';
  canvas.lineJoin = 'round';
  for (const { path, stroke } of shape) {
    if (stroke === undefined) canvas.fill(path);
    else {
      canvas.lineWidth = stroke;
      canvas.stroke(path);
    }
  }
  canvas.restore();
}
