import { listRefs, type Ref } from './refs.ts';
import type { Repository } from './repository.ts';

/** Rows that are parsed in one slice: 2 ms. Answers of several requests may come in one turn of the event loop. */
const refsPerRead = 2_000;

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
    for (const ref of page) refs.push(ref);
    repository.workBudget.spendSteps(page.length);
    if (repository.workBudget.isTurnDue) await repository.workBudget.turn();
    if (page.length < refsPerRead) return refs;
  }
}
