import { expect, test } from '@jest/globals';
import { getNamedType, isInterfaceType, isObjectType, TypeInfo, visit, visitWithTypeInfo } from 'graphql';
import { restCorner } from '../../schema/vocabulary/rest-corner.ts';
import { contracts } from '../contract/contracts.ts';
import { publicSchema } from './public-schema.ts';
import { elementsOf } from './schema-elements.ts';

/** Conditional requests, page numbers, and constants of the wire. */
const restNames =
  /[.(](unless|etag|page|pollInterval|typeName|sourceType|accountType|gists|gravatarId|(rest|user|organization)Url)\)?$/;

/** Fields of the corner by their names, with the sentence that says why. */
const corner = new Map<string, string>();
for (const type of Object.values(publicSchema.getTypeMap())) {
  if (!isObjectType(type) && !isInterfaceType(type)) continue;
  for (const { name, extensions } of Object.values(type.getFields())) {
    const why = extensions[restCorner];
    if (typeof why === 'string') corner.set(`${type.name}.${name}`, why);
  }
}

test('no member of the graph is there for REST alone, outside the corner', () => {
  const found = elementsOf(publicSchema).filter(
    ({ name, description }) =>
      !corner.has(name.replace(/\(.*$/, '')) && (restNames.test(name) || /\b(REST|ETag)\b/.test(description)),
  );
  expect(found.map(({ name }) => name)).toEqual([]);
});

test('a field of the corner says why it is there, and what the graph has in its place', () => {
  for (const [name, why] of corner) {
    expect([name, why]).toEqual([name, expect.stringMatching(/^[A-Z].*\. Use `\w+.*\.$/)]);
    const [type = '', field = ''] = name.split('.');
    const owner = publicSchema.getType(type);
    const { description } = (isObjectType(owner) && owner.getFields()[field]) || {};
    expect(description).toMatch(new RegExp(`For REST: ${why.slice(0, 10)}`));
  }
});

test('at most 25 operations use the corner', () => {
  const users = contracts
    .flatMap(({ endpoints }) => endpoints)
    .filter(({ operation: { definition, schema } }) => {
      const types = new TypeInfo(schema);
      let isUser = false;
      const look = {
        Field({ name }: { name: { value: string } }) {
          if (corner.has(`${getNamedType(types.getParentType())}.${name.value}`)) isUser = true;
        },
      };
      visit(definition, visitWithTypeInfo(types, look));
      return isUser;
    });
  expect(users.length).toBeGreaterThan(0);
  expect(users.length).toBeLessThanOrEqual(25);
});
