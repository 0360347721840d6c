/** Arguments that every list has. */
export interface ListFilter {
  /** In the syntax of the published API. */
  search?: string | null | undefined;
  /** In the syntax of the published API; takes precedence over `orderBy`. */
  ordering?: string | null | undefined;
  /** Values of the list's order enum: single keys in the syntax of `ordering`, the most significant one first. */
  orderBy?: readonly string[] | null | undefined;
}
