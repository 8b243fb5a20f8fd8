import { pattern } from '../../text/pattern.ts';
import type { Call } from '../programs/call.ts';
import { row } from '../programs/record.ts';
import { NEVER, type Rule } from './rule.ts';

const AWS_VERB = pattern(String.raw`
    ^(batch-|admin-)?(delete|terminate|leave|remove|stop|reboot|purge|deregister|detach|disassociate|revoke
    |disable|cancel|release|reject|reset|restore-db|restore-table|modify-db|schedule-key-deletion|empty|drop
    |abort|deactivate|unsubscribe|untag|evict|force|failover|decrease|shutdown|discard|delete-objects
    |put-bucket-policy|put-bucket-lifecycle|put-public-access-block|put-bucket-versioning|archive|clear
    |deprecate|dissociate|unassign|expire|rollback|restore-object|retire|rotate|kill|replace|withdraw|hibernate
    |suspend|quarantine|ban|scale-in|set-desired-capacity)(-|$)
  `);

/** A call of one service, by its verb and by the whole line; the first match decides. */
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

/** Cloud command lines that delete or stop something. */
export const CLOUD_RULES: readonly Rule[] = [
  row('aws delete', 'deletes or stops something in AWS', { programs: 'aws awslocal aws-okta', when: isAwsLoss }),
  row('empty object', 'overwrites an object with nothing', {
    of: { 'aws gsutil gcloud rclone mc s3cmd docker': { words: /(^| )\/dev\/null / } },
  }),
  row('cloud delete', 'deletes or stops something in a cloud', {
    of: {
      'gcloud az doctl linode-cli hcloud scw exo ibmcloud oci yc aliyun civo vultr-cli upctl openstack heroku fly flyctl railway render vercel netlify wrangler cloudflared firebase supabase neonctl pscale turso atlas mongocli cf dokku gam m365 auth0 okta sentry-cli stripe algolia mc eb surge now deta deployctl amplify planetscale nsc nats pulsar-admin confluent ccloud rpk kafkactl aiven avn upstash grafana-cli datadog bosh jfrog jf databricks snow twilio launchdarkly ld nhost appwrite pocketbase convex bq':
        { destroys: 5 },
    },
  }),
  row('message queue and search', 'deletes data or stops a service', {
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
  }),
  row('backup loss', 'deletes backups, or restores over existing data', {
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
  }),
  row('framework data loss', 'drops or rewrites the data of an application', {
    of: {
      'rails rake artisan django-admin manage.py flask prisma sequelize typeorm knex alembic flyway liquibase diesel sqlx goose migrate dbmate atlas supabase hasura sqitch drush wp console symfony mix craft magento typo3 yii cake spark ts-node-dev drizzle-kit mikro-orm ecto dotnet-ef dotnet gorm tern bytebase strapi medusa directus ghost nova php-artisan occ bench odoo-bin airflow superset rasa dvc mlflow wandb kaggle meteor gitlab-rake gitlab-ctl gitlab-rails discourse mastodon tootctl zammad redmine sidekiq resque rq celery-beat sentry posthog phoenix':
        {
          padded: pattern(String.raw`
              (^|\s)(db:(drop|reset|purge|wipe|rollback|migrate:(down|reset|undo:all)|schema:load|truncate\w*
              |fresh|setup|nuke|seed:replant)|migrate:(fresh|reset|rollback|refresh|down|undo:all)|schema:(drop
              |revert|drop-tables)|migration:revert|migrate\x20reset|db\x20push\x20--(force-reset
              |accept-data-loss)|db\x20(reset|drop|wipe|clean|downgrade)|database\x20(drop|reset|update\x200)
              |ef\x20database\x20(drop|update\x200)|flush|flushall|reset_db|sqlflush|clean|downgrade|undo|redo
              |rollback(-[a-z-]+)?|revert|down|reset|drop-all|dropAll|drop|repair|doctrine:(database:drop
              |schema:drop|fixtures:load|migrations:migrate\x20(prev|first))|ecto\.(drop|reset|rollback)
              |cache:(clear|flush|clear-all)|queue:(flush|clear)|horizon:(clear|purge|terminate)
              |telescope:(clear|prune)|model:prune|migrate\x20\S+\x20zero|post\x20delete|user\x20delete
              |site\x20(empty|delete)|plugin\x20(delete|deactivate)|db\x20(reset|clean)|db\x20clean|sql-drop
              |site-install|entity:delete|delete|remove|destroy|cleanse|reconfigure|media\x20remove|gc
              |--\x20--fresh|search-replace)(\s|$)
            `),
          not: [{ padded: /\s--(pretend|dry-run|sql|check|plan)\b/ }, { line: /^(list|status|history|show|info)\b/ }],
        },
    },
  }),
];

/** Whether a destroying verb is among the first words, with no reading verb before it. */

/** Containers, clusters, virtual machines, infrastructure as code. */
export const CLUSTER_RULES: readonly Rule[] = [
  row('container removal', 'stops or removes containers, images or volumes', {
    shapes: [
      'rm|rmi|kill|stop|restart|pause|down|update',
      'container|image|volume|network|system|builder|buildx|compose|stack|service|swarm|node|secret|config|plugin|context|manifest|pod|machine|trust|checkpoint|buildcache|sbom|model rm|remove|prune|kill|stop|restart|down|leave|disable|revoke|scale|rollback|delete|reset|unpause=|prune-all|pause|drain|update',
      'compose * rm|kill|stop|down|restart',
      'load=',
    ],
    of: {
      'docker docker-compose': {
        any: [
          { any: [{ first: /^update$/ }, { first: /^service$/, second: /^update$/ }], shape: '--force' },
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
  }),
  row('container tools', 'stops or removes containers', {
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
  }),
  row('cluster change', 'removes or stops something in a cluster', {
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
  }),
  row('release removal', 'removes a release or cluster', {
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
  }),
  row('infrastructure destroy', 'destroys or replaces infrastructure', {
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
    of: { vagrant: { not: { first: /^up$/ } }, 'ansible up architect': NEVER },
  }),
  row('ansible module', 'removes or stops something on many machines', {
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
  }),
  row('virtual machine', 'stops or deletes a virtual machine', {
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
  }),
  row('scale to nothing', 'stops all of it', {
    programs: 'heroku fly flyctl dokku cf railway juju',
    shapes: [
      'ps:scale|dyno:scale /=0(:|$)/',
      'scale count /^(\\w+=)?0$/',
      'scale -i=0',
      'scale --count=0',
      'scale --instances=0',
    ],
  }),
];
