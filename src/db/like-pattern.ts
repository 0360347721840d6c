/** Pattern of LIKE for texts that contain `text` as it is. */
export const likePattern = (text: string): string => `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
