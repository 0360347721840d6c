import type { OutboundClient, OutboundRequest, OutboundResponse } from './outbound-client.ts';
import { OutboundError } from './outbound-error.ts';

/** An answer that is no redirect, or why there is none: `problem` is a sentence without its full stop. */
export type FollowedAnswer =
  /** `movedTo`: where the first redirects lead that are permanent; the address that was asked where none is. */
  { answer: OutboundResponse; movedTo: string } | { problem: string; status: number | null };

const maxRedirects = 5;
const permanent: readonly number[] = [301, 308];
const temporary: readonly number[] = [302, 303, 307];

/**
 * GET with redirects, at most five, each through the guard like the first address. A redirect from https to http is not followed. `timeoutMs` is
 * for all of them together. @throws the reason of `signal` when that is aborted
 */
export async function getFollowing(
  outbound: Pick<OutboundClient, 'send'>,
  request: Omit<OutboundRequest, 'method' | 'body' | 'insecure'>,
): Promise<FollowedAnswer> {
  const end = performance.now() + request.timeoutMs;
  let [asked, movedTo, isPermanent] = [request.url, request.url, true];
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const timeoutMs = Math.max(1, end - performance.now());
    const answer = await answerOf(outbound, { ...request, method: 'GET', url: asked, timeoutMs });
    if ('problem' in answer) return answer;
    const { status } = answer;
    if (![...permanent, ...temporary].includes(status)) return { answer, movedTo };
    const target = URL.parse(answer.headers.location ?? '', asked);
    if (target === null) return { problem: 'the redirect names no address', status };
    if (asked.startsWith('https:') && target.protocol === 'http:')
      return { problem: 'the redirect leads from https to http', status };
    target.hash = '';
    asked = target.href;
    isPermanent &&= permanent.includes(status);
    if (isPermanent) movedTo = asked;
  }
  return { problem: `it redirects more than ${maxRedirects} times`, status: null };
}

async function answerOf(
  outbound: Pick<OutboundClient, 'send'>,
  request: OutboundRequest,
): Promise<OutboundResponse | { problem: string; status: null }> {
  try {
    return await outbound.send(request);
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    return { problem: error.message.replace(/\.$/, ''), status: null };
  }
}
