/** Arguments that every list has. */
export interface ListFilter {
  /** In the syntax of the published API. */
  search?: string | null | undefined;
  /** Values of the list's order enum: sort keys with `-` in front for descending, the most significant one first. */
  orderBy?: readonly string[] | null | undefined;
}
