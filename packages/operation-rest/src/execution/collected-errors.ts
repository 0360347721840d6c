import type { GraphQLError, ResponsePath } from 'graphql';

/** The errors of one execution, as graphql-js collects them: none below a position that an earlier error has made null. */
export class CollectedErrors {
  readonly list: GraphQLError[] = [];
  readonly #positions = new Set<ResponsePath | undefined>();

  /** @param path of the position that becomes null, undefined for the whole response */
  add(error: GraphQLError, path: ResponsePath | undefined): void {
    for (let above = path; above; above = above.prev) if (this.#positions.has(above)) return;
    if (this.#positions.has(undefined)) return;
    this.#positions.add(path);
    this.list.push(error);
  }
}
