import type { JSX } from 'preact';

/** Permissions of an app: `contents: write, metadata: read`. */
export function Permissions({ permissions }: { permissions: Record<string, string | null> }): JSX.Element {
  const granted = Object.entries(permissions).filter(([, level]) => level !== null);
  return <>{granted.map(([name, level]) => `${name}: ${level}`).join(', ') || 'none'}</>;
}
