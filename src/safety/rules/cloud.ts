import type { Call } from '../programs/call.ts';
import { NEVER, type Rule } from './rule.ts';

const AWS_VERB =
  /^(batch-|admin-)?(delete|terminate|leave|remove|stop|reboot|purge|deregister|detach|disassociate|revoke|disable|cancel|release|reject|reset|restore-db|restore-table|modify-db|schedule-key-deletion|empty|drop|abort|deactivate|unsubscribe|untag|evict|force|failover|decrease|shutdown|discard|delete-objects|put-bucket-policy|put-bucket-lifecycle|put-public-access-block|put-bucket-versioning|archive|clear|deprecate|dissociate|unassign|expire|rollback|restore-object|retire|rotate|kill|replace|withdraw|hibernate|suspend|quarantine|ban|scale-in|set-desired-capacity)(-|$)/;

/** Calls of single services, by verb and by the whole line; the first that fits decides. */
type AwsRow = {
  readonly service?: RegExp;
  readonly verb: RegExp;
  readonly line?: RegExp;
  readonly loses: RegExp | boolean;
};

const AWS_ROWS: readonly AwsRow[] = [
  { service: /^s3$/, verb: /^(rm|rb|mv)$/, loses: true },
  { service: /^s3$/, verb: /^sync$/, loses: /--delete\b/ },
  { service: /^s3$/, verb: /^/, loses: false },
  { verb: AWS_VERB, loses: true },
  { service: /^ec2$/, verb: /^(create-image|create-snapshot)$/, loses: false },
  {
    verb: /^modify/,
    line: /--(no-)?(deletion-protection|disable-api-termination)/,
    loses: /--no-deletion-protection|--no-disable/,
  },
  {
    service: /^autoscaling$/,
    verb: /^update-auto-scaling-group$/,
    loses: /--(desired-capacity|max-size|min-size)[ =]0/,
  },
  { service: /^ecs$/, verb: /^update-service$/, loses: /--desired-count[ =]0|--force-new-deployment/ },
  {
    service: /^dynamodb$/,
    verb: /^(put-item|update-item|batch-write-item|update-table)$/,
    loses: /DeleteRequest|REMOVE/,
  },
  { service: /^logs$/, verb: /^put-retention-policy$/, loses: true },
  { service: /^iam$/, verb: /^(update-login-profile|update-access-key|create-policy-version)$/, loses: true },
  { service: /^route53$/, verb: /^change-resource-record-sets$/, loses: /DELETE|UPSERT|file:/ },
  { service: /^secretsmanager$/, verb: /^(put-secret-value|update-secret)$/, loses: true },
  { service: /^ssm$/, verb: /^put-parameter$/, loses: /--overwrite/ },
  { service: /^kms$/, verb: /^(disable-key|schedule-key-deletion)$/, loses: true },
  {
    service: /^lambda$/,
    verb: /^(update-function-code|put-function-concurrency)$/,
    loses: /concurrent-executions[ =]0/,
  },
];

function isAwsLoss(call: Call): boolean {
  const words = call.operands.filter((operand) => !operand.maybeValue).map((operand) => operand.text);
  if (words.at(-1) === 'help') return false;
  const flags = call.argumentLine;
  const at = words.findIndex((word) => /^[a-z0-9-]+$/.test(word));
  const service = words[at] ?? '';
  const [verb = '', extra = ''] = words.slice(at + 1);
  if (service !== 's3' && AWS_VERB.test(extra)) return true;
  const row = AWS_ROWS.find(
    (each) => (each.service?.test(service) ?? true) && each.verb.test(verb) && (each.line?.test(flags) ?? true),
  );
  return typeof row?.loses === 'object' ? row.loses.test(flags) : (row?.loses ?? false);
}

/** Cloud command lines and what they delete or stop. */
export const CLOUD_RULES: readonly Rule[] = [
  {
    name: 'aws delete',
    programs: 'aws awslocal aws-okta',
    // Words behind an option that nobody knows may be its value: only what surely is a word of the command counts.
    when: isAwsLoss,
    reason: 'deletes or stops something in AWS',
    match: [
      'aws s3 rm s3://b --recursive',
      'aws s3 rb s3://b --force',
      'aws ec2 terminate-instances --instance-ids i-1',
      'aws --profile p --region r rds delete-db-instance --db-instance-identifier x',
      'aws s3 sync . s3://b --delete',
      'aws s3api delete-object --bucket b --key k',
      'aws iam detach-user-policy --user-name x',
      'aws ec2 stop-instances --instance-ids i-1',
      'aws kms schedule-key-deletion --key-id x',
      'aws sqs purge-queue --queue-url u',
      'aws dynamodb delete-table --table-name t',
    ],
    pass: [
      'aws s3 ls',
      'aws ec2 describe-instances',
      'aws s3 cp a s3://b/',
      'aws s3 rm s3://b/x --dryrun',
      'aws sts get-caller-identity',
      'aws logs filter-log-events --filter-pattern delete',
      'aws s3 sync . s3://b',
      'aws ec2 terminate-instances --dry-run --instance-ids i-1',
      'aws ec2 terminate-instances help',
    ],
  },
  {
    name: 'empty object',
    of: {
      'aws gsutil gcloud rclone mc s3cmd docker': { words: /(^| )\/dev\/null / },
    },
    reason: 'overwrites an object with nothing',
    match: ['aws s3 cp /dev/null s3://b/key', 'gsutil cp /dev/null gs://b/key'],
    pass: ['aws s3 cp s3://b/key /dev/null', 'gsutil cp gs://b/key -'],
  },
  {
    name: 'cloud delete',
    of: {
      'gcloud az doctl linode-cli hcloud scw exo ibmcloud oci yc aliyun civo vultr-cli upctl openstack heroku fly flyctl railway render vercel netlify wrangler cloudflared firebase supabase neonctl pscale turso atlas mongocli cf dokku gam m365 auth0 okta sentry-cli stripe algolia mc eb surge now deta deployctl amplify planetscale nsc nats pulsar-admin confluent ccloud rpk kafkactl aiven avn upstash grafana-cli datadog bosh jfrog jf databricks snow twilio launchdarkly ld nhost appwrite pocketbase convex bq':
        { destroys: 5 },
    },
    reason: 'deletes or stops something in a cloud',
    match: [
      'gcloud compute instances delete x --zone z -q',
      'az group delete -n rg --yes',
      'gcloud projects delete p',
      'doctl compute droplet delete 1 -f',
      'heroku apps:destroy -a x',
      'fly apps destroy x',
      'az vm deallocate -g a -n b',
      'heroku pg:reset',
      'gcloud sql backups restore 1 --restore-instance x',
      'vercel rm x --yes',
      'hcloud server delete x',
      'gcloud --project p container clusters delete c',
      'bq rm -r -f ds',
      'firebase firestore:delete --all-collections',
      'wrangler delete',
      'gcloud compute instances stop x',
      'firebase hosting:disable',
      'netlify sites:delete x',
    ],
    pass: [
      'gcloud compute instances list',
      'az group list',
      'doctl compute droplet list',
      'heroku logs',
      'gcloud config get-value project',
      'az vm show -g a -n b',
      'gcloud logging read "delete"',
      'heroku ps',
      'fly status',
      'vercel ls',
      'bq query "select 1"',
      'gcloud compute instances describe delete',
    ],
  },
  {
    name: 'message queue and search',
    programs: 'curator kafka-delete-records kafka-delete-records.sh',
    shapes: [''],
    of: {
      'kafka-topics kafka-topics.sh kafka-consumer-groups kafka-consumer-groups.sh kafka-configs kafka-configs.sh kafka-acls kafka-acls.sh nats rabbitmqadmin kcat memcached memccapable influx influxd elasticsearch-users elasticsearch-reset-password elasticsearch-plugin yarn-app hdfs-dfs mapred sqoop oozie cqlsh-drop arangosh couchdb rethinkdb dgraph tikv-ctl tiup mydumper expdp asmcmd':
        { any: [{ line: /--(delete|delete-offsets|reset-offsets|remove|delete-config)\b/ }, { destroys: 3 }] },
      'zkCli.sh zookeeper-shell.sh zookeeper-shell': { says: /\b(delete|deleteall|rmr|set)\b/ },
      etcdctl: {
        any: [
          { first: /^(del|rm|rmdir|defrag=|compact|compaction)$/ },
          { second: /^(remove|restore|delete|revoke|escapeMarks)$/ },
        ],
      },
      consul: {
        any: [
          { second: /^(delete|deregister|leave|force-leave|restore)$/ },
          { first: /^(leave|force-leave)$/ },
          { line: /-(delete|deregister)/ },
        ],
      },
      celery: { line: /\bpurge\b|\b(shutdown|terminate|revoke)\b/ },
      solr: { any: [{ first: /^delete$/ }, { first: /^stop$/ }, { first: /^restart$/ }] },
      'cypher-shell': { says: /\b(DELETE|REMOVE|DROP|SET)\b/i },
      'neo4j-admin': {
        all: [{ line: /\b(restore|load|drop|set-initial-password)\b/ }, { line: /overwrite|force|restore/ }],
      },
      'hdfs hadoop': {
        any: [
          {
            line: /-(rm|rmr|rmdir|expunge|format|truncate|deleteSnapshot|disallowSnapshot|mv|finalizeUpgrade|delete)\b|\bnamenode -format/,
          },
          { all: [{ line: /-(put|copyFromLocal|cp)\b/ }, { line: /\s-f\b/ }] },
        ],
      },
      hbase: { any: [{ input: /\b(drop|disable|truncate|delete|deleteall)\b/ }, { first: /\bclean\b/ }] },
      nodetool: {
        first:
          /^(decommission|removenode|assassinate|clearsnapshot|drain|truncatehints|disable\w+|stopdaemon|cleanup)$/,
      },
      vacuumdb: NEVER,
      'barman pgbackrest wal-g wal-e patronictl repmgr pg_probackup': {
        line: /\b(delete|expire|restore|recover|stanza-delete|remove|reinit|restart|failover|switchover|standby unregister|primary unregister|backup-fetch|purge|flush|pause)\b/,
        not: { first: /\b(list|show|check|verify)\b/ },
      },
      'xtrabackup innobackupex mariabackup': { line: /--(copy-back|move-back|force-non-empty)/ },
      myloader: { line: /-o\b|--overwrite-tables|--purge-mode/ },
      rman: { says: /\b(delete|restore|recover|crosscheck)\b/i },
      impdp: { line: /table_exists_action=(replace|truncate)/i },
      dbca: { line: /-delete/ },
      'srvctl crsctl': { first: /^(stop|remove|disable|delete)$/ },
    },
    reason: 'deletes data or stops a service',
    match: [
      'kafka-topics --bootstrap-server x --delete --topic t',
      'etcdctl del --prefix /a',
      'hdfs dfs -rm -r /x',
      'consul kv delete -recurse a',
      'nodetool decommission',
      'pgbackrest stanza-delete --stanza=x',
      'barman delete x oldest',
      'celery -A app purge -f',
      'hdfs namenode -format',
      'kafka-consumer-groups.sh --reset-offsets --to-earliest --execute --group g --topic t',
      'echo "MATCH (n) DETACH DELETE n" | cypher-shell',
      'etcdctl snapshot restore x.db',
    ],
    pass: [
      'kafka-topics --list --bootstrap-server x',
      'etcdctl get a',
      'hdfs dfs -ls /',
      'consul members',
      'nodetool status',
      'barman list-backups x',
      'pgbackrest info',
    ],
  },
  {
    name: 'backup loss',
    of: {
      kopia: {
        line: /\b(delete|expire|disconnect|remove|forget|maintenance run|restore)\b/,
        not: { line: /^(snapshot list)/ },
      },
      duplicity: { first: /^(remove-older-than|remove-all-but-n-full|remove-all-inc-of-but-n-full|cleanup|restore)$/ },
      duply: { second: /\b(purge|purge-full|purgeFull|cleanup|restore|purgeIncr)\b/ },
      'rdiff-backup': { line: /--remove-older-than|--restore-as-of|--force|\bremove\b/ },
      rsnapshot: { first: /^(hourly|daily|weekly|monthly|alpha|beta|gamma|sync)$/, not: { shape: '-t' } },
      tarsnap: { any: [{ shape: '-d|--nuke|--fsck|--fsck-prune' }, { argument: /^-\w*d/ }] },
      'bup attic vzdump veeamconfig bacula velero backup-manager zbackup deja-dup autorestic resticprofile vorta sanoid syncoid zfs-auto-snapshot dar-backup storebackup flexbackup amanda amrmtape urbackupclientctl pbs-client proxmox-backup-client':
        {
          any: [
            { first: /\b(delete|forget|prune|remove|purge|restore|expire|nuke)\b/ },
            { second: /\b(delete|forget|prune|remove|purge|restore|expire|nuke)\b/ },
            { argument: /(?<!\S)[^\s/.]*\b(delete|forget|prune|remove|purge|restore|expire|nuke)\b[^\s/.]*(?!\S)/ },
          ],
        },
      snapraid: { first: /^(fix|sync|touch|scrub)$/, not: { first: /^scrub$/ } },
      timeshift: { shape: '--delete|--delete-all|--restore' },
      'snapper tmutil': NEVER,
      'bconsole bareos-console': { says: /\b(delete|purge|prune|restore|truncate|cancel)\b/ },
      btrbk: { first: /^(clean|prune|run)$/, not: { shape: '-n|--dry-run' } },
      backintime: { line: /\b(remove|remove-and-do-not-ask-again|restore|smart-remove)\b/ },
      'vssadmin wbadmin': { first: /^(delete|resize|start)$/i },
    },
    reason: 'deletes backups or restores over what is there',
    match: [
      'timeshift --delete-all',
      'duplicity remove-older-than 1D file:///x',
      'tarsnap -d -f a',
      'vssadmin delete shadows /all /quiet',
      'rdiff-backup --remove-older-than 1D x',
      'kopia snapshot delete x',
    ],
    pass: ['timeshift --list', 'kopia snapshot list'],
  },
  {
    name: 'framework data loss',
    of: {
      'rails rake artisan django-admin manage.py flask prisma sequelize typeorm knex alembic flyway liquibase diesel sqlx goose migrate dbmate atlas supabase hasura sqitch drush wp console symfony mix craft magento typo3 yii cake spark ts-node-dev drizzle-kit mikro-orm ecto dotnet-ef dotnet gorm tern bytebase strapi medusa directus ghost nova php-artisan occ bench odoo-bin airflow superset rasa dvc mlflow wandb kaggle meteor gitlab-rake gitlab-ctl gitlab-rails discourse mastodon tootctl zammad redmine sidekiq resque rq celery-beat sentry posthog phoenix':
        {
          padded:
            /(^|\s)(db:(drop|reset|purge|wipe|rollback|migrate:(down|reset|undo:all)|schema:load|truncate\w*|fresh|setup|nuke|seed:replant)|migrate:(fresh|reset|rollback|refresh|down|undo:all)|schema:(drop|revert|drop-tables)|migration:revert|migrate reset|db push --(force-reset|accept-data-loss)|db (reset|drop|wipe|clean|downgrade)|database (drop|reset|update 0)|ef database (drop|update 0)|flush|flushall|reset_db|sqlflush|clean|downgrade|undo|redo|rollback(-[a-z-]+)?|revert|down|reset|drop-all|dropAll|drop|repair|doctrine:(database:drop|schema:drop|fixtures:load|migrations:migrate (prev|first))|ecto\.(drop|reset|rollback)|cache:(clear|flush|clear-all)|queue:(flush|clear)|horizon:(clear|purge|terminate)|telescope:(clear|prune)|model:prune|migrate \S+ zero|post delete|user delete|site (empty|delete)|plugin (delete|deactivate)|db (reset|clean)|db clean|sql-drop|site-install|entity:delete|delete|remove|destroy|cleanse|reconfigure|media remove|gc|-- --fresh|search-replace)(\s|$)/,
          not: [{ padded: /\s--(pretend|dry-run|sql|check|plan)\b/ }, { line: /^(list|status|history|show|info)\b/ }],
        },
    },
    reason: 'drops or rewrites the data of an application',
    match: [
      'rails db:drop',
      'php artisan migrate:fresh --seed',
      'python manage.py flush --noinput',
      'npx prisma migrate reset --force',
      'flyway clean',
      'alembic downgrade base',
      'wp db reset --yes',
      'bin/rails db:reset',
      'drush sql-drop -y',
      'knex migrate:rollback --all',
      'mix ecto.drop',
      'php bin/console doctrine:schema:drop --force',
      'bundle exec rake db:drop',
      './manage.py reset_db',
      'npx sequelize-cli db:drop',
      'npx prisma db push --force-reset',
      'dotnet ef database drop -f',
    ],
    pass: [
      'rails db:migrate:status',
      'php artisan route:list',
      'flyway info',
      'alembic history',
      'wp plugin list',
      'python manage.py showmigrations',
      'python manage.py check',
      'npx prisma generate',
      'rails routes',
      'php artisan migrate --pretend',
    ],
  },
];

/** A destroying verb among the first words, none of them read first. */
