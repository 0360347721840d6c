import type { ComponentChildren, JSX } from 'preact';

interface ScrollRegionProps {
  label: string;
  /** Whether a small screen shows the right end first: the newest of a time. */
  startsAtEnd?: boolean;
  children: ComponentChildren;
}

/** What is wider than a small screen. */
export function ScrollRegion({ label, startsAtEnd = false, children }: ScrollRegionProps): JSX.Element {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll what has the focus.
    <section class={startsAtEnd ? 'scroll from-end' : 'scroll'} aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
