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
