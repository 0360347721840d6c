/** A time as payloads have it where no shape of the REST API writes it: in whole seconds, as that does. */
export const formatPayloadTime = (at: Date): string => `${at.toISOString().slice(0, 19)}Z`;
