import { InterfaceType, ObjectType, registerEnumType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';
import { DateTime } from '../vocabulary/scalars.ts';

/** Outcome of the verification of a signature, by the reasons that the REST API publishes. */
export const GitSignatureState = {
  VALID: 'valid',
  UNSIGNED: 'unsigned',
  UNKNOWN_SIG_TYPE: 'unknown_signature_type',
  MALFORMED_SIG: 'malformed_signature',
  UNKNOWN_KEY: 'unknown_key',
  NOT_SIGNING_KEY: 'not_signing_key',
  INVALID: 'invalid',
  EXPIRED_KEY: 'expired_key',
  NO_USER: 'no_user',
  UNVERIFIED_EMAIL: 'unverified_email',
  BAD_EMAIL: 'bad_email',
  GPGVERIFY_ERROR: 'gpgverify_error',
  GPGVERIFY_UNAVAILABLE: 'gpgverify_unavailable',
} as const;
export type GitSignatureStateName = (typeof GitSignatureState)[keyof typeof GitSignatureState];
registerEnumType(GitSignatureState, {
  name: 'GitSignatureState',
  description: 'Outcome of the verification of a signature.',
  valuesConfig: {
    VALID: { description: 'Valid signature of a verified email address.' },
    UNSIGNED: { description: 'Commit without a signature.' },
    UNKNOWN_SIG_TYPE: { description: 'Signature of an unknown type.' },
    MALFORMED_SIG: { description: 'Signature that cannot be parsed.' },
    UNKNOWN_KEY: { description: 'Key that no account has registered.' },
    NOT_SIGNING_KEY: { description: 'Key that may not sign.' },
    INVALID: { description: 'Signature of other content, or by another key.' },
    EXPIRED_KEY: { description: 'Key that has expired or was revoked.' },
    NO_USER: { description: 'Email address of the committer that no account has.' },
    UNVERIFIED_EMAIL: { description: 'Email address of the committer that its account has not confirmed.' },
    BAD_EMAIL: { description: 'Email address of the committer that the key does not state.' },
    GPGVERIFY_ERROR: { description: 'Failure of the verification.' },
    GPGVERIFY_UNAVAILABLE: { description: 'Overload of the verification.' },
  },
});

@InterfaceType({ description: 'Signature of a commit.' })
export abstract class GitSignature {
  @Computed(() => String, 'Email address of the signer: that of the committer.')
  email!: string;

  @Computed(() => Boolean, 'Whether the signature is valid.')
  isValid!: boolean;

  @Computed(() => GitSignatureState, 'Outcome of the verification.')
  state!: GitSignatureStateName;

  @Computed(() => String, 'Signed bytes: the commit without its signature.')
  payload!: string;

  @Computed(() => String, 'Signature as it is in the commit: an armored text.')
  signature!: string;

  @Computed(() => DateTime, 'Time of the first valid verification; null for none.', { null: true })
  verifiedAt!: string | null;
}

/** Declares a kind of signature. No code names its class: rows tell the type. */
function signatureKind(name: string, description: string): void {
  @ObjectType(name, { implements: GitSignature, description, simpleResolvers: true })
  class Signature {}
  void Signature;
}
signatureKind('GpgSignature', 'Signature by a PGP key.');
signatureKind('SshSignature', 'Signature by an SSH key.');
signatureKind('UnknownSignature', 'Signature of an unknown type.');
