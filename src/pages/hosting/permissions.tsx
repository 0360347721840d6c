import type { JSX } from 'preact';

export interface PermissionGrant {
  name: string;
  level: string;
}

/** Permissions of an app: `contents: write, metadata: read`. */
export function Permissions({ permissions }: { permissions: readonly PermissionGrant[] }): JSX.Element {
  return <>{permissions.map(({ name, level }) => `${name}: ${level}`).join(', ') || 'none'}</>;
}
