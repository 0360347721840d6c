import type { CompiledQuery, QueryExecutorProvider, RawBuilder } from 'kysely';
import type { NamedQuery } from './kysely-client.ts';

let statementCount = 0;

/**
 * A statement whose text is the same every time, put together once. `make` writes it with places where the values will be; it
 * may hand them on to be parameters and must not look at them. For statements of many parts alone: the five of the dashboard
 * are 13 KB of text, and making and hashing them anew was a twentieth of a request.
 *
 * It has a name, under which each connection parses it once, inside transactions too.
 */
export function compiledStatement<Values extends object, Row>(
  names: readonly (keyof Values & string)[],
  build: (placeholders: Values) => RawBuilder<Row>,
): (values: Values) => RawBuilder<Row> {
  const placeholders = Object.fromEntries(names.map(name => [name, Object.freeze({ place: name })]));
  const nameByPlaceholder = new Map<unknown, keyof Values & string>(names.map(name => [placeholders[name], name]));
  const name = `fixed_${statementCount++}`;
  let compiled: CompiledQuery<Row> | undefined;
  return values => {
    const compile = (provider: QueryExecutorProvider): NamedQuery<Row> => {
      compiled ??= build(placeholders as unknown as Values).compile(provider);
      const parameters = compiled.parameters.map(one => {
        const place = nameByPlaceholder.get(one);
        return place === undefined ? one : values[place];
      });
      return { ...compiled, parameters, name };
    };
    const execute: RawBuilder<Row>['execute'] = provider => provider.getExecutor().executeQuery(compile(provider));
    // Nobody asks a builder for anything else.
    return { compile, execute } as RawBuilder<Row>;
  };
}
