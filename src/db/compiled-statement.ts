import type { CompiledQuery, QueryExecutorProvider, RawBuilder } from 'kysely';
import type { NamedQuery } from './kysely-client.ts';

let statementCount = 0;

/**
 * A statement with a constant text, compiled once. `build` writes it with placeholders for the values, which it may pass as
 * parameters and must not inspect. Use it for large statements only: the five of the dashboard have 13 KB of text, and compiling
 * and hashing them took a twentieth of each request.
 *
 * The statement is named, so each connection parses it once, inside transactions as well.
 */
export function compiledStatement<Values extends object, Row>(
  names: readonly (keyof Values & string)[],
  build: (placeholders: Values) => RawBuilder<Row>,
): (values: Values) => RawBuilder<Row> {
  const placeholders = Object.fromEntries(names.map(name => [name, Object.freeze({ placeholder: name })]));
  const nameByPlaceholder = new Map<unknown, keyof Values & string>(names.map(name => [placeholders[name], name]));
  const name = `fixed_${statementCount++}`;
  let compiled: CompiledQuery<Row> | undefined;
  return values => {
    const compile = (provider: QueryExecutorProvider): NamedQuery<Row> => {
      compiled ??= build(placeholders as unknown as Values).compile(provider);
      const parameters = compiled.parameters.map(one => {
        const valueName = nameByPlaceholder.get(one);
        return valueName === undefined ? one : values[valueName];
      });
      return { ...compiled, parameters, name };
    };
    const execute: RawBuilder<Row>['execute'] = provider => provider.getExecutor().executeQuery(compile(provider));
    // No caller uses another member of a builder.
    return { compile, execute } as RawBuilder<Row>;
  };
}
