/** Bytes in which git looks for a NUL to tell a binary file. */
export const sniffedBytes = 8_000;

/** Whether git takes a blob for a binary file. `bytes`: the blob, or at least its first `sniffedBytes`. */
export const isBinary = (bytes: Buffer): boolean => bytes.subarray(0, sniffedBytes).includes(0);
