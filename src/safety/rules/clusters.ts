import type { Call } from '../programs/call.ts';
import type { Rule } from './rule.ts';

const words = (call: Call) => call.operands.map((operand) => operand.text);

/** Containers, clusters, virtual machines, infrastructure as code. */
export const CLUSTER_RULES: readonly Rule[] = [
  {
    name: 'container removal',
    programs: 'docker docker-compose',
    shapes: [
      'rm|rmi|kill|stop|restart|pause|down|update',
      'container|image|volume|network|system|builder|buildx|compose|stack|service|swarm|node|secret|config|plugin|context|manifest|pod|machine|trust|checkpoint|buildcache|sbom|model rm|remove|prune|kill|stop|restart|down|leave|disable|revoke|scale|rollback|delete|reset|unpause=|prune-all|pause|drain|update',
      'compose * rm|kill|stop|down|restart',
      'load=',
    ],
    when: (call) => {
      const [first = '', second = ''] = words(call);
      if (first === 'update' || (first === 'service' && second === 'update'))
        return call.has('--force', '--replicas=0', '--image=');
      if (
        first === 'compose' &&
        /^(ps|logs|config|up|exec|run|build|pull|images|top|ls|push|start|create|cp|port|events|version|watch|wait)$/.test(
          second,
        )
      )
        return false;
      if (second === 'scale') return call.args.some((field) => /=0$/.test(field.text));
      if (first === 'node' && second === 'update') return call.value('--availability') === 'drain';
      return second !== 'update';
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
    programs:
      'crictl ctr buildah skopeo nerdctl-rm lxc lxc-destroy lxc-stop incus machinectl nomad k3s-uninstall.sh rkt singularity apptainer toolbox distrobox',
    shapes: [
      'rm|rmi|rmp|stop|stopp|prune|delete|remove|del|destroy|kill|restore|terminate|poweroff|reboot',
      '* rm|rmi|remove|delete|del|prune|kill|stop|unpin|destroy',
      '+',
    ],
    when: (call) => {
      if (/^(lxc-destroy|lxc-stop|k3s-uninstall\.sh)$/.test(call.program)) return true;
      const list = words(call).slice(0, 2);
      return (
        list.some((word) =>
          /^(rm|rmi|rmp|stop|stopp|prune|delete|remove|del|destroy|kill|restore|terminate|poweroff|reboot)$/.test(word),
        ) && !/^(list|info|show|inspect)$/.test(list[0] ?? '')
      );
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
      'upgrade --force|--reset-values=',
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
      'terraform pulumi cdk cdktf sam serverless sls vagrant packer ansible crossplane terraformer bosh nixops copilot eb amplify sst up architect zappa chalice goformation waypoint nomad spacelift',
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
      'import=',
    ],
    when: (call) => {
      const list = words(call);
      if (call.program === 'ansible') return false;
      if (call.program === 'pulumi' && list[0] === 'up') return true;
      if (call.program === 'vagrant' && list[0] === 'up') return false;
      if (call.program === 'up' || call.program === 'architect') return false;
      return true;
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
    programs: 'ansible salt salt-ssh puppet chef knife mco bolt fab cap pyinfra rex',
    when: (call) => {
      const module = call.value('-m', '--module-name') ?? '';
      const args = call.value('-a', '--args') ?? '';
      const line = call.args.map((field) => field.text).join(' ');
      if (call.program === 'ansible') {
        if (/state=(absent|stopped|restarted)|\bforce=(yes|true)/.test(args)) return true;
        return /^(reboot|community\.general\.shutdown|ansible\.builtin\.reboot)$/.test(module);
      }
      if (call.program === 'puppet')
        return (
          /\b(node (clean|purge|deactivate)|cert clean|resource \S+ \S+ .*ensure=(absent|stopped))/.test(line) ||
          /ensure=absent/.test(line)
        );
      if (call.program === 'knife') return /\b(delete|bulk delete)\b/.test(line);
      if (/^salt/.test(call.program))
        return /\b(file\.remove|pkg\.(remove|purge)|service\.(stop|restart|disable)|system\.(reboot|shutdown|halt|poweroff)|user\.delete|state\.absent|file\.absent|ps\.(kill|pkill)|cmd\.run.*\brm\b)/.test(
          line,
        );
      return false;
    },
    reason: 'removes or stops something on many machines',
    match: [
      'ansible all -m file -a "path=/x state=absent"',
      'ansible all -m service -a "name=x state=stopped"',
      "salt '*' pkg.purge nginx",
      'puppet node purge x',
      'knife node delete x -y',
      'ansible web -m reboot',
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
    programs:
      'virsh VBoxManage vboxmanage vmrun qm pct pvesh govc xe esxcli multipass prlctl limactl colima utmctl tart xl vim-cmd lima orb orbctl wsl vmadm bhyvectl cbsd iocage jail bastille pveum nova openstack cloudmonkey onevm',
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
    when: (call) => {
      const list = words(call);
      const { program } = call;
      if (program === 'wsl') return call.has('--unregister', '--shutdown', '--terminate', '-t');
      if (program === 'govc' && list[0] === 'vm.power')
        return call.has('-off', '-reset', '-reboot', '-suspend', '-s', '-r');
      if (program === 'esxcli')
        return /\b(delete|remove|kill|shutdown|reboot|poweroff|destroy|unset|unmap|set)\b/.test(list.join(' '));
      if (program === 'pvesh') return /^(delete|set)$/.test(list[0] ?? '');
      if (/^(vm-cmd|vim-cmd)$/.test(program))
        return /\/(destroy|unregister|power\.(off|reset|reboot|shutdown)|snapshot\.(remove|revert))/.test(
          list[0] ?? '',
        );
      if (/^(guest|vm|system|vmsvc)$/.test(list[0] ?? ''))
        return list.some((word) => /^(delete|stop|destroy|shutdown|reboot)$/.test(word));
      if (/^(list|info|show|dominfo|status|get)$/.test(list[0] ?? '') || /^(list|show)$/.test(list[1] ?? ''))
        return false;
      return true;
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
