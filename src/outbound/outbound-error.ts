/**
 * Why nothing, or not all, came back:
 * `blocked` the address is not one that may be reached · `unresolved` the name has no address · `unreachable` nobody answered
 * there, or the connection broke · `certificate` who answered could not prove who it is · `timeout` the time was up.
 */
export type OutboundReason = 'blocked' | 'unresolved' | 'unreachable' | 'certificate' | 'timeout';

/** A request that was not made, or had no answer. The message names no address: it is shown to whoever chose the URL. */
export class OutboundError extends Error {
  override name = 'OutboundError';
  readonly reason: OutboundReason;

  constructor(reason: OutboundReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** What any failure of a request means. Texts of the network library are not passed on: they hold addresses. */
export function toOutboundError(error: unknown): OutboundError {
  let cause = error as { code?: unknown; cause?: unknown } | undefined;
  for (let depth = 0; typeof cause === 'object' && cause !== null && depth < 5; depth++) {
    if (cause instanceof OutboundError) return cause;
    const code = String(cause.code ?? '');
    if (certificateCodes.test(code)) return new OutboundError('certificate', 'The certificate cannot be trusted.');
    if (/TIMEOUT|ETIMEDOUT/.test(code)) return new OutboundError('timeout', 'There was no answer in time.');
    cause = cause.cause as typeof cause;
  }
  return new OutboundError('unreachable', 'The connection failed.');
}

/** What OpenSSL and Node call a certificate that does not hold: https://nodejs.org/api/tls.html#x509-certificate-error-codes */
const certificateCodes =
  /^(CERT_|CRL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERROR_IN_CERT_|ERROR_IN_CRL_|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_|HOSTNAME_MISMATCH|ERR_TLS_CERT_ALTNAME)/;
