/** A page whose items are JSON already. */
export interface JsonPage {
  /** The text of a JSON array. */
  items: string;
  /** The page's number and the last page's, from 1. */
  page: number;
  last: number;
  /** Number of items of the list. */
  total: number;
  /** Anchor of the list, which the links repeat; absent for a list without one. */
  asOf?: string;
}

/** A response body that is JSON already. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** @throws TypeError for a value that JSON cannot represent */
export function formatJson(body: unknown): string {
  return body instanceof JsonText ? body.text : JSON.stringify(body);
}
