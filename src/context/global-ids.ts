import { decodeGlobalId } from '../../schema/vocabulary/global-id.ts';
import { badInput } from '../errors/errors.ts';
import type { NodeKey } from './node-kind.ts';

const uuid = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/;

/** The key in the text of a global id; undefined if the text is no such key. */
export function parseKey(key: NodeKey, text: string): number | string | undefined {
  if (key === 'String') return text;
  if (key === 'UUID') return uuid.test(text) ? text : undefined;
  // Zero and negative numbers name no row, as an unknown number does: a REST path with one is not found.
  const number = /^(?:0|-?[1-9]\d{0,15})$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(number) ? number : undefined;
}

/**
 * The number in a global id of an input. Whether the row exists is for the caller to find out.
 * @param types names of the types that the input accepts
 * @param field name of the input field, for the error
 * @throws GraphQLError BAD_USER_INPUT, status 400, if the text is no global id of these types
 */
export function numberOfId(types: string | readonly string[], id: string, field: string): number {
  return keyOfId('SafeInt', types, id, field) as number;
}

/** The UUID in a global id of an input: see `numberOfId`. */
export function uuidOfId(types: string | readonly string[], id: string, field: string): string {
  return keyOfId('UUID', types, id, field) as string;
}

/** The text in a global id of an input: see `numberOfId`. */
export function textOfId(types: string | readonly string[], id: string, field: string): string {
  return keyOfId('String', types, id, field) as string;
}

function keyOfId(key: NodeKey, types: string | readonly string[], id: string, field: string): number | string {
  const decoded = decodeGlobalId(id);
  const found = decoded && [types].flat().includes(decoded.type) ? parseKey(key, decoded.key) : undefined;
  if (found === undefined)
    throw badInput(`${field} is no global id of the type ${[types].flat().join(' or ')}.`, field);
  return found;
}
