import type { JSX } from 'preact';

interface ProgressProps {
  /** From 0 to 1; anything else is nothing to show. */
  of: string | number | null;
  /** For those who do not see the bar. */
  name: string;
}

/** A bar of what is done. */
export function Progress({ of: value, name }: ProgressProps): JSX.Element | null {
  if (typeof value !== 'number') return null;
  return <progress max={1} value={value} aria-label={name} />;
}
