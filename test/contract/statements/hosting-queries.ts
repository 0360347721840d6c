import { expect } from '@jest/globals';
import type { HostingServer } from './hosting-world.ts';
import type { Section, Statement } from './statement.ts';

/** What section 4 of the hosting document says about queries of rule suites and of insights. */
export function hostingQueries({ ask, gateway }: HostingServer): Section {
  const since = (): string => new Date(gateway.clock.now.getTime() - 86_400_000).toISOString();
  const insights = (rest: string) => ask(`GET /orgs/harbor-lab/insights/api/${rest}`);
  const suites = (query: string) => ask(`GET /orgs/harbor-lab/rulesets/rule-suites?${query}`);
  const statements: Statement[] = [
    [
      'an array in a query repeats its name with brackets',
      async () => {
        const sort = 'sort[]=subject_name&sort[]=total_request_count';
        expect((await insights(`subject-stats?min_timestamp=${since()}&${sort}`)).status).toBe(200);
      },
    ],
    ...(['hour', 'day', 'week', 'month'] as const).map(
      (period): Statement => [
        `time_period is ${period}`,
        async () => expect((await suites(`time_period=${period}`)).status).toBe(200),
      ],
    ),
    [
      'time_period is day by default',
      async () => expect((await suites('')).json).toEqual((await suites('time_period=day')).json),
    ],
    ...(['pass', 'fail', 'bypass'] as const).map(
      (result): Statement => [
        `rule_suite_result selects ${result}`,
        async () => {
          const { json } = await suites(`time_period=month&rule_suite_result=${result}`);
          for (const one of json) expect(one.result).toBe(result);
        },
      ],
    ),
    [
      'rule_suite_result is all by default',
      async () => {
        const all = (await suites('time_period=month&rule_suite_result=all')).json;
        expect((await suites('time_period=month')).json).toEqual(all);
      },
    ],
    [
      'repository_name and actor_name select rule suites',
      async () => {
        const [{ repository_name: repository, actor_name: actor }] = (await suites('time_period=month')).json;
        const { json } = await suites(`time_period=month&repository_name=${repository}&actor_name=${actor}`);
        expect(json.length).toBeGreaterThan(0);
        for (const one of json) expect(one).toMatchObject({ repository_name: repository, actor_name: actor });
      },
    ],
    [
      'ref of rule suites may lack refs/heads/',
      async () => {
        const [{ ref }] = (await suites('time_period=month')).json;
        const [whole, short] = [
          await suites(`time_period=month&ref=${ref}`),
          await suites(`time_period=month&ref=${ref.replace(/^refs\/(heads|tags)\//, '')}`),
        ];
        expect([whole.json.length > 0, short.json]).toEqual([true, whole.json]);
      },
    ],
    [
      'a rule suite that is not there is 404',
      async () => expect((await ask('GET /orgs/harbor-lab/rulesets/rule-suites/999999')).status).toBe(404),
    ],
    ...['subject-stats', 'summary-stats', 'time-stats?timestamp_increment=1h', 'user-stats/1'].map(
      (path): Statement => [
        `${path.replace(/\?.*/, '')} needs min_timestamp`,
        async () => expect((await insights(path)).status).toBe(422),
      ],
    ),
    [
      'time-stats needs timestamp_increment',
      async () => expect((await insights(`time-stats?min_timestamp=${since()}`)).status).toBe(422),
    ],
    ...['5m', '10m', '1h'].map(
      (step): Statement => [
        `timestamp_increment may be ${step}`,
        async () =>
          expect((await insights(`time-stats?min_timestamp=${since()}&timestamp_increment=${step}`)).status).toBe(200),
      ],
    ),
  ];
  return { document: 'hosting', title: '4. Queries', statements };
}
