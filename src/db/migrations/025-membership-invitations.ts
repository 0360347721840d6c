import { Migration } from '@mikro-orm/migrations';

export class MembershipInvitations extends Migration {
  override up(): void {
    // A table of its own and not a state of `membership`: code that reads members cannot mistake an invited user for one.
    this.addSql(`
      create table membership_invitation (
        organization_id bigint not null constraint membership_invitation_organization_id_foreign references account on delete cascade,
        account_id bigint not null constraint membership_invitation_account_id_foreign references account on delete cascade,
        role text not null,
        inviter_id bigint constraint membership_invitation_inviter_id_foreign references account on delete cascade,
        invited_at timestamptz not null,
        primary key (organization_id, account_id)
      )`);
    this.addSql('create index membership_invitation_by_account on membership_invitation (account_id, organization_id)');
    this.addSql(
      'create index membership_invitation_by_inviter on membership_invitation (inviter_id) where inviter_id is not null',
    );
  }

  override down(): void {
    this.addSql('drop table membership_invitation');
  }
}
