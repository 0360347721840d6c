/** The column of a property: `readTimeMinutes` is `read_time_minutes`. The naming strategy of the ORM gives the same. */
export function columnName(property: string): string {
  return property.replace(/([a-z])([A-Z])/g, '$1_$2').toLowerCase();
}
