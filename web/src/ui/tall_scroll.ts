// Scrolling through more pixels than a browser lets an element have (33 million; Firefox 17): two
// million lines of output are 36 million.
//
// The element is as tall as the browser allows and stands for more: where it is scrolled to plus
// `offset` is the place that is shown. Small moves (a wheel, an arrow key) keep the offset and are
// exact; a jump (the scroll bar dragged) is a share of the whole.

const tallest = 8_000_000;

export class TallScroll {
  private offset = 0;
  private before = 0; // scrollTop that was seen last

  constructor(
    private rows: number,
    private row: number,
  ) {}

  /** The height that the element gets. */
  get height(): number {
    return Math.min(tallest, this.rows * this.row);
  }

  private get whole(): number {
    return this.rows * this.row;
  }

  resize(rows: number, row: number): void {
    const shrunk = rows * row < this.whole;
    this.rows = rows;
    this.row = row;
    if (shrunk || this.whole <= tallest)
      this.offset = Math.max(0, Math.min(this.offset, this.whole - this.height));
  }

  /**
   * Pixels from the first row to the top edge, after the element was scrolled. May move the element
   * to keep room on both sides.
   */
  scrolled(element: HTMLElement): number {
    const { scrollTop, clientHeight } = element;
    if (this.whole <= tallest) {
      this.offset = 0;
      return (this.before = scrollTop);
    }
    const moved = Math.abs(scrollTop - this.before);
    if (moved > clientHeight * 2) {
      const share = scrollTop / Math.max(1, this.height - clientHeight);
      return this.show(element, share * (this.whole - clientHeight));
    }
    this.before = scrollTop;
    const at = scrollTop + this.offset;
    // At an end of the element that is no end of the rows, or far from the share the scroll bar
    // shows: stand where the share is right again.
    const atEdge = scrollTop <= 1 || scrollTop >= this.height - clientHeight - 1;
    if (atEdge && at > 0 && at < this.whole - clientHeight) return this.show(element, at);
    return at;
  }

  /** Scrolls so that the pixel `at` is at the top edge. */
  show(element: HTMLElement, at: number): number {
    const { clientHeight } = element;
    const place = Math.max(0, Math.min(at, this.whole - clientHeight));
    const share = place / Math.max(1, this.whole - clientHeight);
    const top = this.whole <= tallest ? place : Math.round(share * (this.height - clientHeight));
    this.offset = place - top;
    this.before = top;
    element.scrollTop = top;
    return place;
  }

  /** Where a row belongs inside the element. */
  top(index: number): number {
    return index * this.row - this.offset;
  }
}
