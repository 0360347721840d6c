import type { RefFacts } from './push-facts.ts';
import type { Broken, NameRule, RefRule } from './rule.ts';
import { demandOf, keepsTo } from './text-pattern.ts';

/** Judges how a ref changes. */
export async function evaluateRef(facts: RefFacts, rule: RefRule): Promise<Broken | undefined> {
  const isMade = facts.old === undefined;
  const goes = facts.new === undefined;
  switch (rule.type) {
    case 'creation':
      return isMade ? plain('Cannot create ref due to creations being restricted.') : undefined;
    case 'update':
      return isMade || goes ? undefined : plain('Cannot update this protected ref.');
    case 'deletion':
      return goes ? plain(`Cannot delete this ${isTag(facts) ? 'tag' : 'branch'}`) : undefined;
    case 'non_fast_forward':
      if (isMade || goes || (await facts.isForward())) return undefined;
      return plain(`Cannot force-push to this ${isTag(facts) ? 'tag' : 'branch'}`);
    case 'pull_request':
      return (await isDirect(facts)) ? plain('Changes must be made through a pull request.') : undefined;
    case 'merge_queue':
      return (await isDirect(facts)) ? plain('Changes must be made through the merge queue.') : undefined;
  }
}

/** A branch may be made of what other branches have; what nobody has looked at it may not bring along. */
async function isDirect(facts: RefFacts): Promise<boolean> {
  if (facts.new === undefined) return false;
  return facts.old !== undefined || facts.hasNewCommits();
}

const isTag = ({ ref }: RefFacts): boolean => ref.startsWith('refs/tags/');

function plain(message: string): Broken {
  return { message, details: message };
}

/** Judges the name of a ref that is made. */
export function evaluateName({ ref, old }: RefFacts, { type, parameters }: NameRule): Broken | undefined {
  const [prefix, what] = type === 'tag_name_pattern' ? ['refs/tags/', 'Tag'] : ['refs/heads/', 'Branch'];
  if (old !== undefined || !ref.startsWith(prefix) || keepsTo(ref.slice(prefix.length), parameters)) return undefined;
  return plain(`${what} name ${demandOf(parameters)}.`);
}
