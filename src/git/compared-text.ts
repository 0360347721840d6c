/** One of two texts that are compared. */
export interface ComparedText {
  lines: readonly string[];
  /** Equal lines of both texts have equal numbers, which compare faster than texts. */
  numbers: Int32Array;
  /** 1 for a line that the other text lacks. One entry more than there are lines: 0 at the end. */
  changed: Uint8Array;
}
