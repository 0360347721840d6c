import type { RefFacts } from './push-facts.ts';
import { type Broken, type NameRule, type RefRule, unevaluated } from './rule.ts';
import { demandOf } from './text-pattern.ts';

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
export async function evaluateName(facts: RefFacts, rule: NameRule): Promise<Broken | undefined> {
  const { type, parameters } = rule;
  const [prefix, what] = type === 'tag_name_pattern' ? ['refs/tags/', 'Tag'] : ['refs/heads/', 'Branch'];
  if (facts.old !== undefined || !facts.ref.startsWith(prefix)) return undefined;
  const [matches] = await facts.match([{ patterns: [parameters], texts: [facts.ref.slice(prefix.length)] }]);
  if (matches?.[0] === undefined) return unevaluated(rule);
  return matches[0] === (parameters.negate === true) ? plain(`${what} name ${demandOf(parameters)}.`) : undefined;
}
