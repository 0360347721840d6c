import type { Context } from '../../context/context.ts';
import { noSelection } from '../../db/selection.ts';
import { missingObject } from '../../git/read-objects.ts';
import { contentOf, type GitObjectRow } from '../git-data/git-objects.queries.ts';
import type { VerifiedCommit } from './git-commit.ts';
import { loadVerifications } from './verifications.ts';

/** The verification of the signature of a commit; those of one request are made together. @throws GitError `missing` */
export async function verificationOf(context: Context, row: GitObjectRow): Promise<VerifiedCommit> {
  const object = (await contentOf(context, row))?.content;
  if (!object) throw missingObject(row.oid);
  return context.load(loadVerifications, noSelection).load({ place: row.place, object });
}
