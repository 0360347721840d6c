import { isLoopbackAddress } from './host-name.ts';

/** Undefined: not set, or invalid, which `readConfig` reports separately. */
interface ExposureSettings {
  HOST?: string;
  BASE_URL?: string | undefined;
  SMTP_URL?: string | undefined;
  SEED?: 'demo' | 'none';
}

/**
 * Reasons to refuse the start of a gateway whose settings are valid but unsafe, one sentence each:
 *
 * - Other machines can connect, or SMTP is configured, and `BASE_URL` is missing: links in mails and webhooks would contain
 *   an internal address.
 * - Other machines can connect, and `SEED` is `demo` only by default: anyone who can connect could use the demo data.
 *
 * @param isSet whether the operator has set the variable, as opposed to its default
 */
export function unsafeStartReasons(config: ExposureSettings, isSet: (name: 'BASE_URL' | 'SEED') => boolean): string[] {
  const { HOST, BASE_URL, SMTP_URL, SEED } = config;
  const isReachable = HOST !== undefined && !isLoopbackAddress(HOST);
  const reasons: string[] = [];
  const because = isReachable ? `HOST=${HOST} lets other machines in` : SMTP_URL && 'SMTP_URL sends mails to people';
  if (because && BASE_URL === undefined && !isSet('BASE_URL')) {
    reasons.push(
      `BASE_URL must be set, because ${because}: set it to the public address of the gateway, such as https://portico.example.org.`,
    );
  }
  if (isReachable && SEED === 'demo' && !isSet('SEED')) {
    reasons.push(
      `SEED must be set, because HOST=${HOST} lets other machines in: SEED=none starts empty, SEED=demo plants the demo world for everyone who can reach it.`,
    );
  }
  return reasons;
}
