import type { Outbound, OutboundAnswer, OutboundRequest } from '../../outbound/outbound-client.ts';
import { OutboundError, type OutboundReason } from '../../outbound/outbound-error.ts';

/** What came of an attempt, as it is written down. */
export interface DeliveryResult {
  status: string;
  statusCode: number;
  /** Seconds, two decimals. */
  duration: number;
  responseHeaders: Record<string, string> | null;
  responsePayload: string | null;
  /** Milliseconds that the receiver wants to be left alone for, if it says so. */
  retryAfter: number | undefined;
}

/** Words and codes of an attempt that had no answer. */
const failures: Record<OutboundReason, [status: string, statusCode: number]> = {
  blocked: ['failed to connect to network', 502],
  unresolved: ['failed to connect to host', 502],
  unreachable: ['failed to connect to host', 502],
  certificate: ['Peer certificate cannot be authenticated with given CA certificates', 502],
  timeout: ['timed out', 504],
};

/** Milliseconds that a receiver has, and bytes of its answer that are read. */
const most = { time: 10_000, bytes: 64 * 1024 };

/** Sends a delivery and says what came of it. Rejects when `signal` is aborted, and for nothing that a receiver does. */
export async function attemptDelivery(
  outbound: Outbound,
  request: Pick<OutboundRequest, 'url' | 'headers' | 'body' | 'insecure'>,
  signal: AbortSignal,
): Promise<DeliveryResult> {
  const from = performance.now();
  const seconds = (): number => Math.round((performance.now() - from) / 10) / 100;
  try {
    const answer = await outbound.send({
      ...request,
      method: 'POST',
      timeout: most.time,
      mostBytes: most.bytes,
      signal,
    });
    return answered(answer, seconds());
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    const [status, statusCode] = failures[error.reason];
    return {
      status,
      statusCode,
      duration: seconds(),
      responseHeaders: null,
      responsePayload: null,
      retryAfter: undefined,
    };
  }
}

function answered({ status, headers, body }: OutboundAnswer, duration: number): DeliveryResult {
  const isOk = status >= 200 && status < 300;
  return {
    status: isOk ? 'OK' : `Invalid HTTP Response: ${status}`,
    statusCode: status,
    duration,
    responseHeaders: headers,
    // PostgreSQL stores no NUL.
    responsePayload: body.toString('utf8').replaceAll('\0', '\ufffd'),
    retryAfter: retryAfterOf(headers['retry-after']),
  };
}

/** In milliseconds: the header says seconds, or a date. */
function retryAfterOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now());
}
