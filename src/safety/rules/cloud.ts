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

/** Containers, clusters, virtual machines, infrastructure as code. */
export const CLUSTER_RULES: readonly Rule[] = [
  {
    name: 'container removal',
    shapes: [
      'rm|rmi|kill|stop|restart|pause|down|update',
      'container|image|volume|network|system|builder|buildx|compose|stack|service|swarm|node|secret|config|plugin|context|manifest|pod|machine|trust|checkpoint|buildcache|sbom|model rm|remove|prune|kill|stop|restart|down|leave|disable|revoke|scale|rollback|delete|reset|unpause=|prune-all|pause|drain|update',
      'compose * rm|kill|stop|down|restart',
      'load=',
    ],
    of: {
      'docker docker-compose': {
        any: [
          {
            any: [{ first: /^update$/ }, { first: /^service$/, second: /^update$/ }],
            shape: '--force',
          },
          {
            any: [
              { second: /^scale$/, argument: /=0$/ },
              {
                not: { second: /^scale$/ },
                any: [
                  { first: /^node$/, second: /^update$/, value: ['--availability', /^drain$/] },
                  { not: [{ first: /^node$/, second: /^update$/ }, { second: /^update$/ }] },
                ],
              },
            ],
            not: [
              { first: /^update$/ },
              { first: /^service$/, second: /^update$/ },
              {
                first: /^compose$/,
                second:
                  /^(ps|logs|config|up|exec|run|build|pull|images|top|ls|push|start|create|cp|port|events|version|watch|wait)$/,
              },
            ],
          },
        ],
      },
    },
    reason: 'stops or removes containers, images or volumes',
    match: [
      'docker rm -f web',
      'docker system prune -af --volumes',
      'docker volume rm data',
      'docker compose down -v',
      'docker-compose down',
      'docker kill x',
      'docker rmi $(docker images -q)',
      'podman pod rm x',
      'docker stop web',
      'docker -H tcp://x rm y',
      'docker compose -f a.yml rm -s',
      'docker swarm leave --force',
      'docker service rm x',
      'docker image prune -a',
      'docker container stop x',
      'docker network rm n',
      'docker builder prune',
    ],
    pass: [
      'docker run --rm alpine ls',
      'docker ps -a',
      'docker compose up -d',
      'docker build -t rm .',
      'docker logs stop',
      'docker run -it --rm ubuntu bash',
      'docker images',
      'docker compose ps',
      'docker exec web ls',
    ],
  },
  {
    name: 'container tools',
    programs: 'lxc-destroy lxc-stop k3s-uninstall.sh',
    shapes: [
      'rm|rmi|rmp|stop|stopp|prune|delete|remove|del|destroy|kill|restore|terminate|poweroff|reboot',
      '* rm|rmi|remove|delete|del|prune|kill|stop|unpin|destroy',
      '+',
    ],
    of: {
      'crictl ctr buildah skopeo nerdctl-rm lxc incus machinectl nomad rkt singularity apptainer toolbox distrobox': {
        any: [
          { first: /^(rm|rmi|rmp|stop|stopp|prune|delete|remove|del|destroy|kill|restore|terminate|poweroff|reboot)$/ },
          {
            second: /^(rm|rmi|rmp|stop|stopp|prune|delete|remove|del|destroy|kill|restore|terminate|poweroff|reboot)$/,
          },
        ],
        not: { first: /^(list|info|show|inspect)$/ },
      },
    },
    reason: 'stops or removes containers',
    match: [
      'crictl rmi --prune',
      'lxc delete c1 --force',
      'ctr images rm x',
      'buildah rm -a',
      'skopeo delete docker://x',
      'lxc-destroy -n x',
    ],
    pass: ['crictl ps', 'lxc list', 'ctr images ls', 'skopeo inspect docker://x'],
  },
  {
    name: 'cluster change',
    programs: 'kubectl oc k3s microk8s',
    shapes: [
      'delete|drain|evict|destroy|uninstall|stop',
      'adm drain|prune|policy=',
      'replace --force|--cascade',
      'scale --replicas=0',
      'rollout undo|restart',
      'config delete-context|delete-cluster|delete-user|unset',
      'taint /NoExecute/',
      'cordon +',
      'certificate deny',
      'set env /-$/',
      'cp /^\\/dev\\/null$/',
      'patch --patch=/finalizers|replicas.?:\\s?0|\\$patch.*delete|"op":\\s*"remove"/',
      'patch -p=/finalizers|replicas.?:\\s?0|delete|"op":\\s*"remove"/',
      'patch /finalizers|"op":\\s*"remove"|replicas.?:\\s?0/',
      'apply --prune',
      'apply --force',
      'label|annotate /-$/',
      'kubectl delete|drain',
      'project|delete-project *=',
      'debug=',
      'set image=',
    ],
    reason: 'removes or stops something in a cluster',
    match: [
      'kubectl delete pod x',
      'kubectl -n prod delete ns x',
      'kubectl --context c drain node1',
      'kubectl scale deploy/x --replicas=0',
      'oc delete project x',
      'kubectl replace --force -f x.yml',
      'kubectl rollout undo deploy/x',
      'kubectl -n x rollout restart deploy y',
      'kubectl apply --prune -f .',
      'kubectl delete -f x.yaml',
      'kubectl cordon n1',
    ],
    pass: [
      'kubectl get pods',
      'kubectl describe pod delete',
      'kubectl delete pod x --dry-run=client',
      'kubectl logs -f x',
      'kubectl apply -f x.yaml --dry-run=server',
      'kubectl scale deploy/x --replicas=3',
      'kubectl get events',
      'kubectl auth can-i delete pods',
      'kubectl explain pod',
    ],
  },
  {
    name: 'release removal',
    programs:
      'helm helmfile helm3 argocd flux velero istioctl linkerd tkn kn kubeadm kops eksctl k3d kind minikube rancher k0s talosctl kubeone cilium argo skaffold devspace garden okteto tilt werf odo knative clusterctl capi kustomize',
    shapes: [
      'uninstall|delete|del|un|rollback|destroy|reset|purge|cleanup|stop|down|undeploy|terminate|remove|rm|suspend|abort',
      '* delete|rm|remove|delete-resource|rollback|terminate-op|uninstall|destroy|sync=',
      '* * delete',
      'upgrade --force',
      'app sync --prune|--force',
      'repo remove',
    ],
    reason: 'removes a release or cluster',
    match: [
      'helm uninstall x',
      'helm -n prod delete x',
      'helm rollback x 1',
      'kubeadm reset -f',
      'kind delete cluster',
      'minikube delete',
      'eksctl delete cluster --name x',
      'argocd app delete x',
      'velero backup delete x',
      'flux uninstall',
      'k3d cluster delete',
    ],
    pass: [
      'helm list',
      'helm uninstall --dry-run x',
      'helm template x',
      'minikube status',
      'argocd app list',
      'helm history x',
    ],
  },
  {
    name: 'infrastructure destroy',
    programs:
      'terraform pulumi cdk cdktf sam serverless sls packer crossplane terraformer bosh nixops copilot eb amplify sst zappa chalice goformation waypoint nomad spacelift',
    shapes: [
      'destroy|down|remove|delete|terminate|halt|suspend|reload|purge|undeploy|cancel|rm|force-unlock|taint|untaint=',
      'apply -auto-approve|-destroy|-replace',
      'apply -auto-approve=true',
      'apply --auto-approve|--destroy',
      'state rm|push|mv=|replace-provider|delete|unprotect',
      'stack|workspace|state|env|box|snapshot|app|pipeline|job|system|namespace|plugin|svc|deployment|volume rm|delete|remove|prune|restore|pop|stop|gc|purge',
      'up -y|--yes|-f|--skip-preview',
      'refresh -y|--yes=',
      'workspace delete',
      'build -force|--force',
      'import=',
    ],
    of: {
      vagrant: { not: { first: /^up$/ } },
      'ansible up architect': NEVER,
    },
    reason: 'destroys or replaces infrastructure',
    match: [
      'terraform destroy',
      'terraform -chdir=x destroy -auto-approve',
      'terraform apply -auto-approve',
      'terraform state rm x',
      'pulumi destroy --yes',
      'cdk destroy',
      'vagrant destroy -f',
      'terraform apply -destroy',
      'terraform workspace delete x',
      'terraform taint x.y',
      'pulumi stack rm x',
      'sls remove',
      'vagrant halt',
      'sam delete',
    ],
    pass: [
      'terraform plan',
      'terraform plan -destroy',
      'terraform show',
      'pulumi preview',
      'cdk diff',
      'vagrant status',
      'terraform state list',
      'terraform init',
    ],
  },
  {
    name: 'ansible module',
    of: {
      'ansible-playbook': {
        operand: /(^|[-_/])(teardown|destroy|uninstall|wipe|purge|nuke|decommission|delete|remove)[\w-]*\.ya?ml$/,
        not: { shape: '-C|--check|--syntax-check|--list-tasks|--list-hosts|--list-tags' },
      },
      ansible: {
        any: [
          { value: ['-a|--args', /state=(absent|stopped|restarted)|\bforce=(yes|true)/] },
          { value: ['-m|--module-name', /^(reboot|community\.general\.shutdown|ansible\.builtin\.reboot)$/] },
        ],
      },
      'salt salt-ssh': {
        line: /\b(file\.remove|pkg\.(remove|purge)|service\.(stop|restart|disable)|system\.(reboot|shutdown|halt|poweroff)|user\.delete|state\.absent|file\.absent|ps\.(kill|pkill)|cmd\.run.*\brm\b)/,
      },
      puppet: {
        any: [
          { line: /\b(node (clean|purge|deactivate)|cert clean|resource \S+ \S+ .*ensure=(absent|stopped))/ },
          { line: /ensure=absent/ },
        ],
      },
      'chef mco bolt fab cap pyinfra rex': NEVER,
      knife: { line: /\b(delete|bulk delete)\b/ },
    },
    reason: 'removes or stops something on many machines',
    match: [
      'ansible all -m file -a "path=/x state=absent"',
      'ansible all -m service -a "name=x state=stopped"',
      "salt '*' pkg.purge nginx",
      'puppet node purge x',
      'knife node delete x -y',
      'ansible web -m reboot',
      'ansible-playbook -i prod teardown.yml',
    ],
    pass: [
      'ansible all -m ping',
      'ansible all -m setup',
      "salt '*' test.ping",
      'knife node list',
      'ansible all --check -m file -a "path=/x state=absent"',
    ],
  },
  {
    name: 'virtual machine',
    shapes: [
      'destroy|undefine|shutdown|reboot|reset|stop|delete|rm|remove|purge|kill|rollback|suspend|managedsave-remove|discardstate|unregister|unregistervm|closemedium|poweroff|snapshot-delete|snapshot-revert|snapshot-restore|vol-delete|vol-wipe|pool-destroy|pool-delete|pool-undefine|net-destroy|net-undefine|detach-disk|detach-device|detach-interface|blockcommit|blockpull|delsnapshot|revertToSnapshot|deleteSnapshot|deleteVM|unlink|revert|factory-reset|delete-all|terminate',
      'controlvm * poweroff|reset|savestate|acpipowerbutton',
      'snapshot * delete|restore',
      '* delete|remove|stop|destroy|reboot|rebuild|suspend|unset|reset',
      'vm.destroy|vm.power|snapshot.remove|snapshot.revert|datastore.rm|object.destroy|pool.destroy|cluster.rm|host.shutdown',
      '--unregister|--shutdown|--terminate|-t',
      'vm-destroy|vm-shutdown|vm-uninstall|vdi-destroy|snapshot-destroy|sr-destroy|sr-forget|pool-eject|template-uninstall',
      'guest|vm|vmsvc|system *',
      'network vswitch standard remove',
    ],
    of: {
      'virsh VBoxManage vboxmanage vmrun qm pct xe multipass prlctl limactl colima utmctl tart xl lima orb orbctl vmadm bhyvectl cbsd iocage jail bastille pveum nova openstack cloudmonkey onevm':
        {
          any: [
            { first: /^(guest|vm|system|vmsvc)$/, operand: /^(delete|stop|destroy|shutdown|reboot)$/ },
            {
              not: [
                { first: /^(guest|vm|system|vmsvc)$/ },
                { first: /^(list|info|show|dominfo|status|get)$/ },
                { second: /^(list|show)$/ },
              ],
            },
          ],
        },
      pvesh: { first: /^(delete|set)$/ },
      govc: {
        any: [
          { first: /^vm\.power$/, shape: '-off|-reset|-reboot|-suspend|-s|-r' },
          {
            not: { first: /^vm\.power$/ },
            any: [
              { first: /^(guest|vm|system|vmsvc)$/, operand: /^(delete|stop|destroy|shutdown|reboot)$/ },
              {
                not: [
                  { first: /^(guest|vm|system|vmsvc)$/ },
                  { first: /^(list|info|show|dominfo|status|get)$/ },
                  { second: /^(list|show)$/ },
                ],
              },
            ],
          },
        ],
      },
      esxcli: { words: /\b(delete|remove|kill|shutdown|reboot|poweroff|destroy|unset|unmap|set)\b/ },
      'vim-cmd': { first: /\/(destroy|unregister|power\.(off|reset|reboot|shutdown)|snapshot\.(remove|revert))/ },
      wsl: { shape: '--unregister|--shutdown|--terminate|-t' },
    },
    reason: 'stops or deletes a virtual machine',
    match: [
      'virsh destroy vm1',
      'virsh undefine vm1 --remove-all-storage',
      'VBoxManage unregistervm x --delete',
      'qm destroy 100',
      'multipass delete --purge x',
      'virsh snapshot-delete vm1 s1',
      'VBoxManage controlvm x poweroff',
      'openstack server delete x',
      'govc vm.destroy x',
      'wsl --unregister Ubuntu',
      'pct stop 101',
    ],
    pass: [
      'virsh list --all',
      'VBoxManage list vms',
      'qm list',
      'multipass list',
      'openstack server list',
      'virsh dominfo vm1',
    ],
  },
  {
    name: 'scale to nothing',
    programs: 'heroku fly flyctl dokku cf railway juju',
    shapes: [
      'ps:scale|dyno:scale /=0(:|$)/',
      'scale count /^(\\w+=)?0$/',
      'scale -i=0',
      'scale --count=0',
      'scale --instances=0',
    ],
    reason: 'stops all of it',
    match: ['heroku ps:scale web=0', 'fly scale count 0', 'fly scale count app=0'],
    pass: ['heroku ps:scale web=1', 'fly scale count 2', 'fly scale show'],
  },
];
