/**
 * Why a request failed: `blocked`: the address is not allowed · `unresolved`: the name has no address · `unreachable`: no
 * connection, or it broke · `certificate`: the certificate is not valid · `timeout`: the deadline passed.
 */
export type OutboundReason = 'blocked' | 'unresolved' | 'unreachable' | 'certificate' | 'timeout';

/** A request failed. The message contains no address, because the user who chose the URL sees it. */
export class OutboundError extends Error {
  override name = 'OutboundError';
  readonly reason: OutboundReason;

  constructor(reason: OutboundReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Classifies an error of the HTTP client, whose message is dropped because it contains addresses. */
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

/** Codes of OpenSSL and Node.js for an invalid certificate: https://nodejs.org/api/tls.html#x509-certificate-error-codes */
const certificateCodes =
  /^(CERT_|CRL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERROR_IN_CERT_|ERROR_IN_CRL_|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_|HOSTNAME_MISMATCH|ERR_TLS_CERT_ALTNAME)/;
