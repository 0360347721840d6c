import { formatIpForUrl, isLoopback, parseHostName } from './host-name.ts';

/** The settings that decide it. Undefined: not set, or wrong, which has a sentence of its own. */
interface ExposureSettings {
  HOST?: string;
  BASE_URL?: string | undefined;
  SMTP_URL?: string | undefined;
  SEED?: 'demo' | 'none';
}

/**
 * What keeps a gateway from being started, one sentence for each: it would work, and do harm that its operator does not see.
 * `isWritten` says whether a setting is written down, as opposed to having its fallback.
 *
 * - Other machines can reach it, or mails are sent, and there is no `BASE_URL`: links in mails and webhooks would lead to an
 *   address inside.
 * - Other machines can reach it, and `demo` is only the fallback of `SEED`.
 */
export function unsafeStartReasons(config: ExposureSettings, isSet: (name: 'BASE_URL' | 'SEED') => boolean): string[] {
  const { HOST, BASE_URL, SMTP_URL, SEED } = config;
  const isReachable = HOST !== undefined && !isLoopback(parseHostName(formatIpForUrl(HOST))?.name ?? '');
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
