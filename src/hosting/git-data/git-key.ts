import { textOfId } from '../../context/global-ids.ts';
import { badInput } from '../../errors/errors.ts';

/** What the key of a git object or ref names: a repository, and an object id or a full ref name in it. */
export interface GitKey {
  repositoryId: number;
  rest: string;
}

/** The parts of a key `<repositoryId>:<rest>`; undefined for other texts. */
export function parseGitKey(key: string): GitKey | undefined {
  const [, id, rest] = /^([1-9]\d{0,14}):(.+)$/s.exec(key) ?? [];
  return id === undefined || rest === undefined ? undefined : { repositoryId: Number(id), rest };
}

/**
 * The parts of the global id of a ref in an input. Whether the ref exists is for the caller to find out.
 * @param field name of the input field, for the error
 * @throws GraphQLError BAD_USER_INPUT, status 400, if the text is no global id of a ref
 */
export function refOfId(id: string, field: string): GitKey {
  const key = parseGitKey(textOfId('Ref', id, field));
  if (!key) throw badInput(`${field} is no global id of the type Ref.`, field);
  return key;
}
