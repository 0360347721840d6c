import { type GraphQLSchema, isInterfaceType, isObjectType } from 'graphql';
import { restCorner } from '../../schema/vocabulary/rest-corner.ts';

/** Appends to the description of each field of the corner that it is one, and why; in place. */
export function withCornerDescriptions(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) && !isInterfaceType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      const why = field.extensions[restCorner];
      if (typeof why === 'string') field.description = `${field.description} For REST: ${why}`;
    }
  }
  return schema;
}
