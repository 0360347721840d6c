import { type TestGateway, testGateway } from '../harness/gateway.ts';
import { mailbox } from '../harness/mailbox.ts';
import { type HealthWorld, healthWorld } from './health-calls.ts';
import { type OfficialWorld, officialWorld } from './official-calls/official-world.ts';

interface BothProducts {
  gateway: TestGateway;
  health: HealthWorld;
  hosting: OfficialWorld;
}

/** A gateway with what the calls of both contracts need, beyond their rate limits. */
export async function bothProducts(): Promise<BothProducts> {
  const mails = await mailbox();
  const gateway = await testGateway({
    data: 'demo',
    now: '2026-10-01T08:10:00Z',
    workers: true,
    settings: { SMTP_URL: mails.url, SOURCE_IMPORTS: 'on', RATE_LIMIT_FACTOR: '100000' },
  });
  return { gateway, health: await healthWorld(gateway, mails), hosting: await officialWorld(gateway) };
}
