/** Maximum edge of an avatar in pixels. */
export const maxAvatarSize = 2_048;
