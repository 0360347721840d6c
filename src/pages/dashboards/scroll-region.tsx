import type { ComponentChildren, JSX } from 'preact';

/** What is wider than a small screen. */
export function ScrollRegion({ label, children }: { label: string; children: ComponentChildren }): JSX.Element {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll what has the focus.
    <section class="scroll" aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
