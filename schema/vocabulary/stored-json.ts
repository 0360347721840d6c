import { JsonText } from 'operation-rest';

/** The value of a JSON scalar that is stored as text: the response has the text as it is, which nobody parses to format it again. */
export function storedJson(text: string): object {
  return new JsonText(text);
}
