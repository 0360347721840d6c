/** Formats a time with second precision, as the REST API does, for payload parts that no fragment serializes. */
export const formatPayloadTime = (at: Date): string => `${at.toISOString().slice(0, 19)}Z`;
