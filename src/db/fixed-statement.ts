import type { RawBuilder } from 'kysely';

/**
 * A statement whose text is the same every time, put together once. `make` writes it with places where the values will be; it
 * may hand them on to be parameters and must not look at them. For statements of many parts alone: the five of the dashboard
 * are 13 KB of text, and making and hashing them anew was a twentieth of a request.
 */
export function fixedStatement<Values extends Record<string, string | number>, Row>(
  names: readonly (keyof Values & string)[],
  make: (places: Values) => RawBuilder<Row>,
): (values: Values) => RawBuilder<Row> {
  const places = Object.fromEntries(names.map(name => [name, Object.freeze({ place: name })]));
  const nameOf = new Map<unknown, string>(Object.entries(places).map(([name, place]) => [place, name]));
  let made: ReturnType<RawBuilder<Row>['compile']> | undefined;
  return values => {
    const compile: RawBuilder<Row>['compile'] = provider => {
      made ??= make(places as unknown as Values).compile(provider);
      const parameters = made.parameters.map(one => {
        const name = nameOf.get(one);
        return name === undefined ? one : values[name];
      });
      return { ...made, parameters };
    };
    // Reads ask a builder for nothing but this.
    return { compile } as RawBuilder<Row>;
  };
}
