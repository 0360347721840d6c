import type { JSX } from 'preact';
import { Layout } from '../layout.tsx';

interface Body {
  name: string;
  source: string;
  target: string;
  enforcement: string;
  rules: { type: string; parameters?: object }[];
}

export function RulesetPage({ name, source, target, enforcement, rules }: Body): JSX.Element {
  return (
    <Layout title={name}>
      <h1>{name}</h1>
      <dl class="facts">
        <dt>Of</dt>
        <dd>
          <a href={`/${source}`}>{source}</a>
        </dd>
        <dt>Target</dt>
        <dd>{target}</dd>
        <dt>Enforcement</dt>
        <dd>{enforcement}</dd>
      </dl>
      <h2>Rules</h2>
      <ul class="plain">
        {rules.map(({ type, parameters }) => (
          <li>
            <code>{type}</code>
            {parameters && <pre>{JSON.stringify(parameters, null, 2)}</pre>}
          </li>
        ))}
      </ul>
    </Layout>
  );
}
