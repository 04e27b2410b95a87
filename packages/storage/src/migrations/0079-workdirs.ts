import { type Kysely, sql } from 'kysely'

/** The working folder of a deployment that was restored, as a zip. It is written once, along with the deployment. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table deployment_workdirs (
    tenant_id int not null,
    deployment_id text not null,
    archive_sha256 text not null references archives,
    primary key (tenant_id, deployment_id),
    foreign key (tenant_id, deployment_id) references deployments on delete cascade
  )`.execute(db)
  await sql`create index deployment_workdirs_archive on deployment_workdirs (archive_sha256)`.execute(db)
}
