import { expect } from '@jest/globals';
import { call } from '../../harness/hosting.ts';
import type { HostingServer } from './hosting-world.ts';
import type { Section, Statement } from './statement.ts';

const compass = '/repos/harbor-lab/compass';

/** Sections 3 and 6 of the hosting document: imports, feeds and webhooks. */
export function hostingEvents({ gateway, importing, world, ask }: HostingServer): Section[] {
  const section = (title: string, statements: readonly Statement[]): Section => ({
    document: 'hosting',
    title,
    statements,
  });
  const importSource = async (vcs: string | undefined) => {
    const repository = await world.repository({ isEmpty: true });
    const body = { vcs_url: 'https://source.example/project.git', vcs };
    return { repository, started: await call(importing, 'PUT', `${repository}/import`, world.wren, body) };
  };
  const age = ({ created_at: at }: { created_at: string }): number => gateway.clock.now.getTime() - Date.parse(at);
  const feeds = ['/events', `${compass}/events`, '/orgs/harbor-lab/events', '/users/wren/events/public'];
  return [
    section('3. States and transitions', [
      [
        'an import without vcs is detecting',
        async () => expect((await importSource(undefined)).started.json.status).toBe('detecting'),
      ],
      [
        'an import with vcs is importing',
        async () => expect((await importSource('git')).started.json.status).toBe('importing'),
      ],
      [
        'an import needs vcs_url',
        async () => {
          const repository = await world.repository({ isEmpty: true });
          expect((await call(importing, 'PUT', `${repository}/import`, world.wren, {})).status).toBe(422);
        },
      ],
      [
        'an import that is cancelled is gone',
        async () => {
          const { repository } = await importSource('git');
          await call(importing, 'DELETE', `${repository}/import`, world.wren);
          expect((await call(importing, 'GET', `${repository}/import`, world.wren)).status).toBe(404);
        },
      ],
    ]),
    section('6. Events', [
      ...feeds.flatMap((path): Statement[] =>
        [
          [
            'has an ETag',
            async () => expect((await ask(`GET ${path}`)).headers.get('etag')).toMatch(/^(W\/)?"/),
          ] as const,
          [
            'is 304 while there is nothing new',
            async () => {
              const tag = (await ask(`GET ${path}`)).headers.get('etag') ?? '';
              expect((await ask(`GET ${path}`, { headers: { 'if-none-match': tag } })).status).toBe(304);
            },
          ] as const,
          [
            'says after how many seconds it may be asked again',
            async () => expect(Number((await ask(`GET ${path}`)).headers.get('x-poll-interval'))).toBeGreaterThan(0),
          ] as const,
          [
            'has events of 90 days at most',
            async () => {
              const { json } = await ask(`GET ${path}?per_page=100`);
              for (const one of json) expect(age(one)).toBeLessThanOrEqual(90 * 86_400_000);
            },
          ] as const,
        ].map(([sentence, check]): Statement => [`the feed ${path} ${sentence}`, check]),
      ),
      [
        'public events are five minutes old',
        async () => {
          for (const one of (await ask('GET /events?per_page=100')).json)
            expect(age(one)).toBeGreaterThanOrEqual(300_000);
        },
      ],
      [
        'the dashboard of an organization is for that user alone',
        async () =>
          expect((await ask('GET /users/wren/events/orgs/harbor-lab', { as: world.juniper })).status).not.toBe(200),
      ],
      [
        'others see the public events of a user only',
        async () => {
          const { json } = await ask('GET /users/wren/events?per_page=100', { as: null });
          for (const one of json) expect(one.public).toBe(true);
        },
      ],
      [
        'others see the public events that a user received only',
        async () => {
          const { json } = await ask('GET /users/juniper/received_events?per_page=100', { as: null });
          for (const one of json) expect(one.public).toBe(true);
        },
      ],
      [
        'a feed has 300 events at most',
        async () => {
          const { json } = await ask(`GET ${compass}/events?per_page=100&page=4`);
          expect(Array.isArray(json) ? json : []).toEqual([]);
        },
      ],
    ]),
  ];
}
