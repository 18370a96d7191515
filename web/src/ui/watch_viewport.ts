// What of a scrolled box can be seen, told again when it is scrolled or gets another size.

/** Gives back what ends it. */
export function watchViewport(element: HTMLElement, measure: () => void): () => void {
  const observer = new ResizeObserver(measure);
  observer.observe(element);
  element.addEventListener("scroll", measure, { passive: true });
  return () => {
    observer.disconnect();
    element.removeEventListener("scroll", measure);
  };
}
