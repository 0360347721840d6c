import { domainToASCII, domainToUnicode } from 'node:url';
import { Migration } from '@mikro-orm/migrations';

/**
 * Spells international domains of health accounts in their Unicode form, as new addresses are stored: full-width letters and
 * `xn--` name the same domain. SQL cannot convert them, hence the code; it is a copy, because a migration must not change with the
 * product. An address whose Unicode form another live account has stays as it is.
 */
export class CanonicalAddresses extends Migration {
  override async up(): Promise<void> {
    for (const table of ['users', 'registration']) {
      const rows = (await this.execute(
        `select id, email from ${table} where split_part(email, '@', 2) ~* '[^ -~]|xn--'`,
      )) as { id: number; email: string }[];
      for (const { id, email } of rows) {
        const at = email.lastIndexOf('@');
        const domain = domainToUnicode(domainToASCII(email.slice(at + 1)));
        if (domain === '') continue;
        const spelled = `${email.slice(0, at)}@${domain}`;
        const isTaken = 'select 1 from users other where lower(other.email) = lower(?) and other.deleted_at is null';
        await this.execute(
          table === 'users'
            ? `update users set email = ? where id = ? and not exists (${isTaken} and other.id <> users.id)`
            : 'update registration set email = ? where id = ?',
          table === 'users' ? [spelled, id, spelled] : [spelled, id],
        );
      }
    }
  }

  /** Nothing to revert: the other spellings named the same mailboxes. */
  override down(): void {}
}
