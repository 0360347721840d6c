import { nextEventLoopTurn } from 'operation-rest/event-loop-turn';
import { responseTooLarge } from '../errors/errors.ts';
import { maxResponseBytes, remainingBytes } from '../limits/response-bytes.ts';
import type { GraphqlAnswer } from './graphql-response.ts';

/** Bytes of a control character as JSON; a character takes at most three as UTF-8. */
const maxBytesPerCharacter = 6;

/**
 * Rejects a response that is too large to serialize: a value loaded once is repeated by aliases and lists, and takes memory each
 * time. The data are measured only where the characters that the executor has counted could be too many.
 */
export async function limitResponseSize(answer: GraphqlAnswer): Promise<void> {
  if ((answer.maxCharacters ?? 0) * maxBytesPerCharacter <= maxResponseBytes) return;
  // 16 MB take 40 ms.
  await nextEventLoopTurn();
  if (remainingBytes(answer.result.data, maxResponseBytes) >= 0) return;
  const { message, extensions } = responseTooLarge(maxResponseBytes);
  answer.result = { data: null, errors: [{ message, extensions: { code: extensions.code } }] };
  answer.http.status = 422;
}
