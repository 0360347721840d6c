/** Arguments that every list has, in the syntax of the published API. */
export interface ListFilter {
  search?: string | null | undefined;
  ordering?: string | null | undefined;
}
