import type { OutboundClient, OutboundRequest, OutboundResponse } from '../../outbound/outbound-client.ts';
import { OutboundError, type OutboundReason } from '../../outbound/outbound-error.ts';

/** Result of one delivery attempt, as recorded. */
export interface DeliveryResult {
  status: string;
  statusCode: number;
  /** In seconds, rounded to two decimals. */
  duration: number;
  responseHeaders: Record<string, string> | null;
  responsePayload: string | null;
  /** Requested pause in milliseconds, from the receiver's Retry-After header. */
  retryAfterMs: number | undefined;
}

/** Recorded status text of an attempt without a complete answer in time. */
export const timedOut = 'timed out';

/** Recorded status text and code of attempts that received no answer. */
const outboundFailures: Record<OutboundReason, [status: string, statusCode: number]> = {
  blocked: ['failed to connect to network', 502],
  unresolved: ['failed to connect to host', 502],
  unreachable: ['failed to connect to host', 502],
  certificate: ['Peer certificate cannot be authenticated with given CA certificates', 502],
  timeout: [timedOut, 504],
};

/** Timeout of an attempt in milliseconds, and the number of response bytes that are read. */
const receiverLimits = { timeoutMs: 10_000, maxBytes: 64 * 1024 };

/**
 * Sends a delivery and returns its result. Receiver failures are results, not errors.
 *
 * @throws the abort reason when `signal` is aborted.
 */
export async function attemptDelivery(
  outbound: OutboundClient,
  request: Pick<OutboundRequest, 'url' | 'headers' | 'body' | 'insecure'>,
  signal: AbortSignal,
): Promise<DeliveryResult> {
  const startedAt = performance.now();
  const seconds = (): number => Math.round((performance.now() - startedAt) / 10) / 100;
  try {
    const answer = await outbound.send({
      ...request,
      method: 'POST',
      timeoutMs: receiverLimits.timeoutMs,
      maxBytes: receiverLimits.maxBytes,
      signal,
    });
    return resultOfAnswer(answer, seconds());
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    const [status, statusCode] = outboundFailures[error.reason];
    return {
      status,
      statusCode,
      // Nothing was sent to a blocked address: the time is that of the check, which is 0.01 on a busy machine.
      duration: error.reason === 'blocked' ? 0 : seconds(),
      responseHeaders: null,
      responsePayload: null,
      retryAfterMs: undefined,
    };
  }
}

function resultOfAnswer({ status, headers, body }: OutboundResponse, duration: number): DeliveryResult {
  const isOk = status >= 200 && status < 300;
  return {
    status: isOk ? 'OK' : `Invalid HTTP Response: ${status}`,
    statusCode: status,
    duration,
    responseHeaders: headers,
    // PostgreSQL cannot store NUL in text.
    responsePayload: body.toString('utf8').replaceAll('\0', '\ufffd'),
    retryAfterMs: parseRetryAfter(headers['retry-after']),
  };
}

/** Parses Retry-After, seconds or an HTTP date, to milliseconds. */
function parseRetryAfter(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now());
}
