import { listRefs, type Ref } from './refs.ts';
import type { Repository } from './repository.ts';

const refsPerRead = 10_000;

/** All refs whose names begin with `prefix`, by default all, sorted by name in byte order. */
export async function listAllRefs(repository: Repository, prefix = 'refs/'): Promise<Ref[]> {
  const refs: Ref[] = [];
  for (;;) {
    const after = refs.at(-1)?.name;
    const page = await listRefs(repository, {
      prefix,
      limit: refsPerRead,
      ...(after === undefined ? {} : { after }),
    });
    refs.push(...page);
    if (page.length < refsPerRead) return refs;
  }
}
