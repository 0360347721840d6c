import { badInput } from '../../errors/errors.ts';

/** Maximum edge of an avatar in pixels. */
export const maxAvatarSize = 2_048;

/**
 * URL of the avatar of an account.
 * @throws GraphQLError BAD_USER_INPUT for a size out of range
 */
export function avatarUrl({ origin }: { origin: string }, accountId: number, size: number | null | undefined): string {
  const url = `${origin}/avatars/${accountId}.svg`;
  if (size == null) return url;
  if (size >= 1 && size <= maxAvatarSize) return `${url}?size=${size}`;
  throw badInput(`size must be from 1 to ${maxAvatarSize}, not ${size}.`, 'size');
}
