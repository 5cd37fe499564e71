/** A canvas as large as its box, in the resolution of the screen. */
export class Canvas {
  readonly element: HTMLCanvasElement;
  readonly context: CanvasRenderingContext2D;
  width = 0;
  height = 0;

  constructor(element: HTMLCanvasElement, onResize: () => void) {
    this.element = element;
    const context = element.getContext('2d');
    if (context === null) throw new Error('This browser draws no canvas');
    this.context = context;
    new ResizeObserver(onResize).observe(element);
  }

  /** Empty, and in the units of CSS. */
  clear(): CanvasRenderingContext2D {
    const ratio = window.devicePixelRatio;
    this.width = this.element.clientWidth;
    this.height = this.element.clientHeight;
    const [width, height] = [Math.round(this.width * ratio), Math.round(this.height * ratio)];
    // Setting the size makes it anew, which takes long.
    if (this.element.width !== width) this.element.width = width;
    if (this.element.height !== height) this.element.height = height;
    this.context.reset();
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    return this.context;
  }
}
