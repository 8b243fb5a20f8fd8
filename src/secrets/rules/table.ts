/** The beginnings of a bot's numeric id in Base64. */
const DISCORD_STARTS = ['MT', 'Mj', 'Mz', 'ND', 'NT', 'Nj', 'Nz', 'OD', 'OT']
  .flatMap((two) => [...'AEIMQUYcgk'].map((third) => two + third))
  .join(' ');

/** Payment, messages, models and other services. */
const SERVICES: readonly TokenRule[] = [
  {
    kind: 'SLACK_TOKEN',
    starts: 'xoxb- xoxp- xoxa- xoxr- xoxs- xoxe- xoxo- xoxc- xoxd- xapp-',
    rest: '[A-Za-z0-9.%-]{18,400}',
    loose: true,
    match: ['‹xoxb-<12d>-<13d>-<24w>›', '‹xapp-1-A<10u>-<13d>-<64h>›', '‹xoxp-<11d>-<11d>-<12d>-<32h>›'],
    pass: ['xoxb-your-token', 'xoxb-xxxxxxxxxxxx-xxxxxxxxxxxx'],
  },
  {
    kind: 'SLACK_TOKEN',
    starts: 'xoxe.xox',
    rest: '[bp]-\\d-[A-Za-z0-9]{100,250}',
    match: ['‹xoxe.xoxp-1-<163w>›'],
    pass: ['xoxe.xox'],
  },
  {
    kind: 'WEBHOOK',
    starts:
      'https://hooks.slack.com/ https://discord.com/api/webhooks/ https://discordapp.com/api/webhooks/ https://hooks.zapier.com/hooks/catch/',
    rest: '[A-Za-z0-9/_+-]{30,160}',
    stop: '[A-Za-z0-9_-]',
    loose: true,
    match: [
      'curl -d x ‹https://hooks.slack.com/services/T<10u>/B<10u>/<24w>›',
      '"‹https://discord.com/api/webhooks/<18d>/<68s>›"',
    ],
    pass: [
      'https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX',
      'https://hooks.slack.com/docs',
    ],
  },
  {
    kind: 'WEBHOOK',
    starts: '.webhook.office.com/webhookb2/',
    before: 'https://[a-z0-9-]{1,30}',
    rest: '[a-f0-9-]{36}@[a-f0-9-]{36}/IncomingWebhook/[a-f0-9]{32}/[a-f0-9-]{36}(?:/[A-Za-z0-9_-]{20,80})?',
    match: [
      '‹https://corp.webhook.office.com/webhookb2/<8h>-<4h>-<4h>-<4h>-<12h>@<8h>-<4h>-<4h>-<4h>-<12h>/IncomingWebhook/<32h>/<8h>-<4h>-<4h>-<4h>-<12h>›',
    ],
    pass: ['https://corp.webhook.office.com/webhookb2/'],
  },
  {
    kind: 'STRIPE_KEY',
    starts: 'sk_live_ sk_test_ rk_live_ rk_test_ whsec_ sk_prod_',
    rest: '[A-Za-z0-9+/=]{16,250}',
    loose: true,
    match: ['‹sk_live_<24w>›', '‹rk_test_51<97w>›', '‹whsec_<32w>›'],
    pass: ['pk_live_<24w>', 'sk_live_', 'sk_test_your_key', 'sk_test_xxxxxxxxxxxxxxxxxxxxxxxx'],
  },
  {
    kind: 'OPENAI_KEY',
    starts: 'sk-proj- sk-svcacct- sk-admin- sk-None-',
    rest: '[A-Za-z0-9_-]{20,300}',
    stop: '[A-Za-z0-9_-]',
    loose: true,
    match: ['OPENAI_API_KEY=‹sk-proj-<80s>T3BlbkFJ<40s>›', '‹sk-svcacct-<58s>›'],
    pass: ['sk-proj-', 'sk-proj-your-key-here'],
  },
  {
    kind: 'ANTHROPIC_KEY',
    starts: 'sk-ant-',
    rest: '[A-Za-z0-9_-]{24,300}',
    stop: '[A-Za-z0-9_-]',
    match: ['x-api-key: ‹sk-ant-api03-<93s>AA›', '‹sk-ant-admin01-<80s>›'],
    pass: ['sk-ant-...', 'sk-ant-api03-your-key-here-xxxxxxxx'],
  },
  {
    kind: 'OPENROUTER_KEY',
    starts: 'sk-or-v1-',
    rest: '[a-f0-9]{64}',
    match: ['‹sk-or-v1-<64h>›'],
    pass: ['sk-or-v1-'],
  },
  {
    kind: 'API_KEY',
    starts: 'sk-',
    rest: '[A-Za-z0-9_-]{20,200}',
    stop: '[A-Za-z0-9_-]',
    loose: true,
    match: ['key=‹sk-<48w>›', '‹sk-<20w>T3BlbkFJ<20w>›', '‹sk-<32h>›'],
    pass: ['sk-learn-contrib-packages', 'task-sk-something-very-long-name', 'sk-xxxxxxxxxxxxxxxxxxxxxxxx'],
  },
  {
    kind: 'MODEL_KEY',
    starts:
      'hf_ gsk_ xai- pplx- nvapi- r8_ fw_ pcsk_ lsv2_pt_ lsv2_sk_ api_org_ csk- tgp_v1_ jina_ voyage- tvly- sk_ pa-',
    rest: '[A-Za-z0-9_-]{30,200}',
    stop: '[A-Za-z0-9_-]',
    loose: true,
    match: [
      'HF_TOKEN=‹hf_<34w>›',
      '‹gsk_<52w>›',
      '‹xai-<80w>›',
      '‹nvapi-<64s>›',
      '‹r8_<37w>›',
      '‹lsv2_pt_<32h>_<10h>›',
    ],
    pass: ['hf_transfer', 'hf_hub_download_and_cache_model_files_to_disk', 'fw_'],
  },
  {
    kind: 'SENDGRID_KEY',
    starts: 'SG.',
    rest: '[A-Za-z0-9_-]{16,32}\\.[A-Za-z0-9_-]{16,64}',
    stop: '[A-Za-z0-9_-]',
    loose: true,
    match: ['‹SG.<22s>.<43s>›'],
    pass: ['SG.com', 'SG.a.b'],
  },
  {
    kind: 'TWILIO_KEY',
    starts: 'SK0 SK1 SK2 SK3 SK4 SK5 SK6 SK7 SK8 SK9 SKa SKb SKc SKd SKe SKf',
    rest: '[a-f0-9]{31}',
    match: ['TWILIO_API_KEY=‹SK1<31h>›'],
    pass: ['AC<32h>', 'SK1234'],
  },
  {
    kind: 'MAILGUN_KEY',
    starts: 'key-',
    rest: '[a-f0-9]{32}',
    match: ["-u 'api:‹key-<32h>›'"],
    pass: ['key-value', 'key-<12h>'],
  },
  {
    kind: 'MAIL_KEY',
    starts: 'xkeysib- xsmtpsib- md- re_',
    rest: '[A-Za-z0-9]{8,64}[_-][A-Za-z0-9]{16,24}',
    loose: true,
    match: ['‹xkeysib-<64h>-<16w>›', 'RESEND_API_KEY=‹re_<8w>_<24w>›'],
    pass: ['re_compile_pattern', 're_exports'],
  },
  {
    kind: 'TELEGRAM_TOKEN',
    starts: ':AA',
    before: '\\d{8,10}',
    rest: '[A-Za-z0-9_-]{33}',
    stop: '[A-Za-z0-9_-]',
    match: ['https://api.telegram.org/bot‹<10d>:AA<33s>›/sendMessage', 'TELEGRAM=‹<9d>:AA<33s>›'],
    pass: ['x:AA<33w>', '12:AAbb'],
  },
  {
    kind: 'SHOPIFY_TOKEN',
    starts: 'shpat_ shpss_ shpca_ shppa_ shptka_',
    rest: '[a-fA-F0-9]{32}',
    match: ['X-Shopify-Access-Token: ‹shpat_<32h>›'],
    pass: ['shpat_'],
  },
  {
    kind: 'SQUARE_TOKEN',
    starts: 'sq0atp- sq0csp- EAAA',
    rest: '[A-Za-z0-9_-]{22,80}',
    loose: true,
    match: ['‹sq0atp-<22s>›', '‹sq0csp-<43s>›', '‹EAAAE<59s>›'],
    pass: ['EAAA', 'sq0idp-<22w>'],
  },
  {
    kind: 'FACEBOOK_TOKEN',
    starts: 'EAACEdEose0cBA EAAG EAAJ EAAB EAAC EAAD EAAE EAAF EAAH EAAI',
    rest: '[A-Za-z0-9]{60,300}',
    loose: true,
    match: ['access_token=‹EAAG<160w>›'],
    pass: ['EAAG'],
  },
  {
    kind: 'AIRTABLE_TOKEN',
    starts: 'pat',
    rest: '[A-Za-z0-9]{14}\\.[a-f0-9]{64}',
    match: ['‹pat<14w>.<64h>›'],
    pass: ['pattern', 'patch.diff'],
  },
  {
    kind: 'HUBSPOT_TOKEN',
    starts: 'pat-na1- pat-na2- pat-eu1-',
    rest: '[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}',
    match: ['‹pat-na1-<8h>-<4h>-<4h>-<4h>-<12h>›'],
    pass: ['pat-na1-'],
  },
  {
    kind: 'POSTMAN_KEY',
    starts: 'PMAK-',
    rest: '[a-f0-9]{24}-[a-f0-9]{34}',
    match: ['‹PMAK-<24h>-<34h>›'],
    pass: ['PMAK-'],
  },
  {
    kind: 'LAUNCHDARKLY_KEY',
    starts: 'sdk- api- mob-',
    rest: '[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}',
    match: ['LD_SDK_KEY=‹sdk-<8h>-<4h>-4<3h>-<4h>-<12h>›'],
    pass: ['sdk-version', 'api-gateway'],
  },
  {
    kind: 'DROPBOX_TOKEN',
    starts: 'sl.',
    rest: '[A-Za-z0-9_-]{130,1300}',
    loose: true,
    match: ['‹sl.<136s>›'],
    pass: ['sl.exe'],
  },
  {
    kind: 'CONTENT_TOKEN',
    starts: 'CFPAT- phx_ phs_ EZAK EZTK FLWSECK-',
    rest: '[A-Za-z0-9_-]{32,80}',
    loose: true,
    match: ['‹CFPAT-<43s>›', '‹phx_<43w>›', '‹EZAK<54w>›'],
    pass: ['phs_'],
  },
  {
    kind: 'PAYMENT_KEY',
    starts:
      'access_token$production$ access_token$sandbox$ rzp_live_ shippo_live_ shippo_test_ pdl_live_ pdl_sdbx_ duffel_live_ duffel_test_',
    rest: '[A-Za-z0-9_$-]{14,110}',
    loose: true,
    match: ['‹access_token$production$<16l>$<32h>›', '‹rzp_live_<14w>7›', '‹shippo_live_<40h>›'],
    pass: ['rzp_live_'],
  },
  {
    kind: 'SERVICE_TOKEN',
    starts: 'rdme_ tfp_ ico- pnu_ scalr_ sourcegraph_ fio-u-',
    rest: '[A-Za-z0-9_=-]{32,120}',
    loose: true,
    match: ['‹rdme_<70l>›', '‹tfp_<44w>_<20w>›', '‹fio-u-<64s>›'],
    pass: ['ico-file'],
  },
  {
    kind: 'DISCORD_TOKEN',
    starts: DISCORD_STARTS,
    rest: '[A-Za-z0-9_-]{20,28}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27,45}',
    stop: '[A-Za-z0-9_-]',
    match: ['DISCORD=‹MTA<21w>.<6s>.<38s>›', '"‹NzA<21w>.<6w>.<27w>›"'],
    pass: ['MTAyMzQ1', 'OTA-123.abc.def'],
  },
];

/** Forges, package registries and build services. Formats: the vendors' own documentation of tokens. */
const CODE_HOSTS: readonly TokenRule[] = [
  {
    kind: 'GITHUB_TOKEN',
    starts: 'ghp_ gho_ ghu_ ghs_ ghr_',
    rest: '[A-Za-z0-9]{36,255}',
    match: ['a ‹ghp_<36w>› b', 'remote: ‹ghs_<36w>›.', '{"x":"\\n‹gho_<40w>›"}'],
    pass: ['ghp_<10w>', 'ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx', 'ghp_your_token_here'],
  },
  {
    kind: 'GITHUB_TOKEN',
    starts: 'github_pat_',
    rest: '[A-Za-z0-9]{20,24}_[A-Za-z0-9]{50,80}',
    match: ['‹github_pat_<22w>_<59w>›'],
    pass: ['github_pat_<22w>', 'github_pat_test'],
  },
  {
    kind: 'GITLAB_TOKEN',
    starts: 'glpat- gldt- glrt- glcbt- glptt- glft- glimt- glsoat- glagent- gloas- glffct- glwt-',
    rest: '[A-Za-z0-9_.=-]{20,300}',
    match: ['token is ‹glpat-<20s>›', '‹glrt-<20w>›', '‹gloas-<64h>›'],
    pass: ['glpat-<8w>', 'glpat-xxxxxxxxxxxxxxxxxxxx'],
  },
  {
    kind: 'GITLAB_TOKEN',
    starts: 'GR1348941 glpat_',
    rest: '[A-Za-z0-9_-]{20,50}',
    match: ['‹GR1348941<20w>›'],
    pass: ['GR1348941'],
  },
  {
    kind: 'NPM_TOKEN',
    starts: 'npm_',
    rest: '[A-Za-z0-9]{36,64}',
    loose: true,
    match: ['//registry.npmjs.org/:_authToken=‹npm_<36w>›'],
    pass: ['npm_config_user_agent', 'npm_package_json_version'],
  },
  {
    kind: 'PYPI_TOKEN',
    starts: 'pypi-AgEIcHlwaS5vcmc pypi-AgENdGVzdC5weXBpLm9yZw',
    rest: '[A-Za-z0-9_-]{50,1000}',
    match: ['password = ‹pypi-AgEIcHlwaS5vcmc<80s>›'],
    pass: ['pypi-simple', 'pypi-AgEIcHlwaS5vcmc'],
  },
  {
    kind: 'RUBYGEMS_TOKEN',
    starts: 'rubygems_',
    rest: '[a-f0-9]{48}',
    match: [':rubygems_api_key: ‹rubygems_<48h>›'],
    pass: ['rubygems_version'],
  },
  {
    kind: 'CRATES_TOKEN',
    starts: 'cio',
    rest: '[A-Za-z0-9]{32}',
    loose: true,
    match: ['cargo login ‹cioA1b<29w>›'],
    pass: ['cio', 'ciocolata'],
  },
  {
    kind: 'NUGET_TOKEN',
    starts: 'oy2',
    rest: '[a-z0-9]{43}',
    loose: true,
    match: ['nuget push -ApiKey ‹oy2a1<41l>›'],
    pass: ['oy2k'],
  },
  {
    kind: 'CLOJARS_TOKEN',
    starts: 'CLOJARS_',
    rest: '[a-z0-9]{60}',
    match: ['‹CLOJARS_<60l>›'],
    pass: ['CLOJARS_USERNAME'],
  },
  {
    kind: 'DOCKER_TOKEN',
    starts: 'dckr_pat_ dckr_oat_',
    rest: '[A-Za-z0-9_-]{27,48}',
    match: ['docker login -u me -p ‹dckr_pat_<27s>›'],
    pass: ['dckr_pat_'],
  },
  {
    kind: 'BUILD_TOKEN',
    starts: 'bkua_ CCIPAT_ CCIPRJ_ sqp_ squ_ sqa_ pul- sgp_ snyk_uat. dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.',
    rest: '[A-Za-z0-9_.-]{36,120}',
    loose: true,
    match: ['‹sqp_<40h>›', '‹bkua_<40h>›', '‹CCIPAT_<22w>_<40h>›', '‹pul-<40h>›', '‹dp.pt.<43w>›', '‹dp.st.dev.<40w>›'],
    pass: ['pul-request', 'sqp_'],
  },
  {
    kind: 'ATLASSIAN_TOKEN',
    starts: 'ATATT3xFf ATCTT3xFf ATBB',
    rest: '[A-Za-z0-9_=-]{24,400}',
    loose: true,
    match: ['curl -u me@corp.io:‹ATATT3xFf<180s>=1A2B3C4D›', '‹ATBB<28w>1A2B3C4D›'],
    pass: ['ATBB', 'ATATT3xFf'],
  },
  {
    kind: 'JFROG_TOKEN',
    starts: 'AKCp cmVmdGtu',
    rest: '[A-Za-z0-9]{50,80}',
    loose: true,
    match: ['X-JFrog-Art-Api: ‹AKCp<69w>›', '‹cmVmdGtu<56w>›'],
    pass: ['AKCp8'],
  },
  {
    kind: 'LINEAR_TOKEN',
    starts: 'lin_api_ lin_oauth_ lin_wh_',
    rest: '[A-Za-z0-9]{32,64}',
    match: ['‹lin_api_<40w>›'],
    pass: ['lin_api_version'],
  },
  {
    kind: 'NOTION_TOKEN',
    starts: 'secret_ ntn_',
    rest: '[A-Za-z0-9]{40,50}',
    loose: true,
    match: ['‹secret_<43w>›', '‹ntn_<46w>›'],
    pass: ['secret_access_key_id', 'secret_manager'],
  },
  {
    kind: 'FIGMA_TOKEN',
    starts: 'figd_ figo_',
    rest: '[A-Za-z0-9_-]{36,60}',
    loose: true,
    match: ['X-Figma-Token: ‹figd_<40s>›'],
    pass: ['figd_'],
  },
];

/** Clouds, hosting, infrastructure and monitoring. */
const CLOUDS: readonly TokenRule[] = [
  {
    kind: 'AWS_KEY_ID',
    starts: 'AKIA ASIA ABIA ACCA A3T',
    rest: '[A-Z0-9]{16,17}',
    stop: '[A-Za-z0-9]',
    loose: true,
    match: ['aws_access_key_id = ‹AKIA<4u>7Q<10u>›', '‹ASIA2<15u>›'],
    pass: ['AKIAIOSFODNN7EXAMPLE', 'ASIAPACIFIC', 'AKIA<30u>'],
  },
  {
    kind: 'GOOGLE_API_KEY',
    starts: 'AIza',
    rest: '[A-Za-z0-9_-]{35}',
    stop: '[A-Za-z0-9_-]',
    match: ['?key=‹AIza<35s>›&x=1', 'apiKey: "‹AIzaSy<33w>›"'],
    pass: ['AIza<10w>', 'AIzaSyXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX'],
  },
  {
    kind: 'GOOGLE_OAUTH',
    starts: 'GOCSPX-',
    rest: '[A-Za-z0-9_-]{28,32}',
    match: ['"client_secret":"‹GOCSPX-<28s>›"'],
    pass: ['GOCSPX-abc'],
  },
  {
    kind: 'GOOGLE_OAUTH',
    starts: 'ya29.',
    rest: '[A-Za-z0-9_.-]{24,1200}',
    match: ['Authorization: Bearer ‹ya29.a0<120s>›'],
    pass: ['ya29.com'],
  },
  {
    kind: 'GOOGLE_OAUTH',
    starts: '1//0',
    rest: '[A-Za-z0-9_-]{38,120}',
    loose: true,
    match: ['"refresh_token": "‹1//0g<60s>›"'],
    pass: ['1//0'],
  },
  {
    kind: 'FIREBASE_KEY',
    starts: 'AAAA',
    rest: '[A-Za-z0-9_-]{7}:APA91b[A-Za-z0-9_-]{120,180}',
    match: ['Authorization: key=‹AAAA<7w>:APA91b<134s>›'],
    pass: ['AAAAB3NzaC1yc2E<60w>'],
  },
  {
    kind: 'DIGITALOCEAN_TOKEN',
    starts: 'dop_v1_ doo_v1_ dor_v1_',
    rest: '[a-f0-9]{64}',
    match: ['‹dop_v1_<64h>›'],
    pass: ['dop_v1_<20h>'],
  },
  {
    kind: 'HEROKU_KEY',
    starts: 'HRKU-',
    rest: '[A-Za-z0-9_-]{30,70}',
    loose: true,
    match: ['‹HRKU-<36s>7›'],
    pass: ['HRKU-'],
  },
  {
    kind: 'DATABRICKS_TOKEN',
    starts: 'dapi',
    rest: '[a-f0-9]{32}(?:-\\d{1,2})?',
    match: ['‹dapi<32h>›', '‹dapi<32h>-2›'],
    pass: ['dapi_version', 'dapi<10h>'],
  },
  {
    kind: 'VAULT_TOKEN',
    starts: 'hvs. hvb. hvr.',
    rest: '[A-Za-z0-9_-]{24,300}',
    match: ['VAULT_TOKEN=‹hvs.<24w>›', '‹hvb.<140s>›'],
    pass: ['hvs.example', 'hvs.x'],
  },
  {
    kind: 'TERRAFORM_TOKEN',
    starts: '.atlasv1.',
    before: '[A-Za-z0-9]{14}',
    rest: '[A-Za-z0-9_=-]{60,80}',
    match: ['token = "‹<14w>.atlasv1.<67w>›"'],
    pass: ['x.atlasv1.y'],
  },
  {
    kind: 'AZURE_SECRET',
    starts: '8Q~ 7Q~ 6Q~ 5Q~',
    before: '[A-Za-z0-9_~.]{3}',
    rest: '[A-Za-z0-9~._-]{31,34}',
    stop: '[A-Za-z0-9~_-]',
    match: ['AZURE_CLIENT_SECRET=‹<3w>8Q~<34w>›', 'x ‹<3w>7Q~<32w>.a›'],
    pass: ['8Q~short'],
  },
  {
    kind: 'CLOUDFLARE_KEY',
    starts: 'v1.0-',
    rest: '[a-f0-9]{24}-[a-f0-9]{146}',
    match: ['X-Auth-User-Service-Key: ‹v1.0-<24h>-<146h>›'],
    pass: ['v1.0-beta', 'v1.0-<24h>'],
  },
  {
    kind: 'NEWRELIC_KEY',
    starts: 'NRAK- NRII- NRIQ- NRRA- NRJS-',
    rest: '[A-Za-z0-9_-]{19,42}',
    loose: true,
    match: ['‹NRAK-<27u>›', '‹NRII-<32s>›'],
    pass: ['NRAK-'],
  },
  {
    kind: 'SENTRY_TOKEN',
    starts: 'sntrys_ sntryu_ sntrya_',
    rest: '[A-Za-z0-9_=+/-]{60,400}',
    match: ['‹sntryu_<64h>›', '‹sntrys_eyJ<100w>_<43w>›'],
    pass: ['sntrys_token'],
  },
  {
    kind: 'GRAFANA_TOKEN',
    starts: 'glsa_ glc_',
    rest: '[A-Za-z0-9_+/=]{32,300}',
    loose: true,
    match: ['‹glsa_<32w>_<8h>›', '‹glc_<80b>›'],
    pass: ['glc_x'],
  },
  {
    kind: 'DYNATRACE_TOKEN',
    starts: 'dt0c01. dt0s01. dt0s16.',
    rest: '[A-Z0-9]{24}\\.[A-Z0-9]{64}',
    match: ['Authorization: Api-Token ‹dt0c01.<24u>.<64u>›'],
    pass: ['dt0c01.x'],
  },
  {
    kind: 'PLANETSCALE_SECRET',
    starts: 'pscale_tkn_ pscale_pw_ pscale_oauth_',
    rest: '[A-Za-z0-9_.=-]{32,64}',
    match: ['‹pscale_pw_<43s>›', '‹pscale_tkn_<40w>›'],
    pass: ['pscale_pw_'],
  },
  {
    kind: 'SUPABASE_KEY',
    starts: 'sbp_ sb_secret_',
    rest: '[A-Za-z0-9_-]{31,60}',
    loose: true,
    match: ['‹sbp_<40h>›', '‹sb_secret_<31s>›'],
    pass: ['sbp_x', 'sb_publishable_<31w>'],
  },
  {
    kind: 'CLOUD_TOKEN',
    starts: 'tskey- nfp_ rnd_ fm2_ fo1_ napi_ xau_ LTAI AQVN t1.9eu shltm_ exoapi psmt_ cfk_ cfat_ cfut_ hcloud_',
    rest: '[A-Za-z0-9_=+/.-]{17,400}',
    loose: true,
    match: ['‹tskey-auth-<12w>CNTRL-<32w>›', '‹nfp_<36w>›', '‹LTAI5t<18w>›', 'FlyV1 ‹fm2_<100b>›'],
    pass: ['tskey-', 'rnd_seed', 'napi_build_version_script', 'napi_create_function_name_x'],
  },
  {
    kind: 'OPENSHIFT_TOKEN',
    starts: 'sha256~',
    rest: '[A-Za-z0-9_-]{43}',
    match: ['oc login --token=‹sha256~<43s>›'],
    pass: ['sha256:<64h>', 'sha256-<43b>='],
  },
  {
    kind: 'AGE_KEY',
    starts: 'AGE-SECRET-KEY-1',
    rest: '[A-Z0-9]{58}',
    match: ['‹AGE-SECRET-KEY-1<58u>›'],
    pass: ['age1<58l>'],
  },
  {
    kind: 'ONEPASSWORD_TOKEN',
    starts: 'ops_eyJ',
    rest: '[A-Za-z0-9_=-]{100,2000}',
    match: ['OP_SERVICE_ACCOUNT_TOKEN=‹ops_eyJ<250w>›'],
    pass: ['ops_eyJ'],
  },
];

/** All tokens that are recognised by their prefix. The first matching row names the value. */
export const TOKEN_RULES: readonly TokenRule[] = [...CODE_HOSTS, ...CLOUDS, ...SERVICES];

/** Services whose bare name as a variable means their key: `FASTLY=…`. */
export const VENDORS: readonly string[] =
  `adobe airtable algolia alibaba asana atlassian authress beamer bitbucket bittrex buildkite cloudflare codecov coinbase confluent
  contentful databricks datadog doppler drone dropbox dynatrace easypost etsy fastly finicity finnhub flickr freshbooks gitter
  gocardless grafana heroku hubspot infracost intercom kraken kucoin launchdarkly linkedin mailchimp mailgun mapbox mattermost
  messagebird netlify newrelic new_relic nytimes okta pagerduty plaid planetscale rapidapi readme sendbird sendgrid sendinblue shippo
  sidekiq snyk sonar squarespace sumologic telegram travis trello twitch twitter twilio typeform yandex zendesk contribsys`
    .split(/\s+/)
    .filter((name) => name !== '');

/** One table row: a format with a distinctive prefix, so that a text without the prefix costs nothing. */
export type TokenRule = {
  /** The first part of the handle's name. */
  readonly kind: string;
  /** Literal prefixes of at least three characters, separated by blanks; the value begins at its prefix. */
  readonly starts: string;
  /** Text before the prefix that belongs to the value: a regular expression for at most 40 characters. */
  readonly before?: string;
  /** The text after the prefix: a regular expression without unbounded repetition. */
  readonly rest: string;
  /** Matches the characters that may not follow the value; default: a letter or digit. */
  readonly stop?: string;
  /** The format is loose: the value must mix letters and digits like machine-made text. */
  readonly loose?: true;
  /**
   * Texts in which exactly the part between ‹ and › must be found; tests check each. No real values: `<36w>` means 36
   * random characters of a class (`w` letters and digits, `h` hex, `H` upper hex, `d` digits, `u` upper case and
   * digits, `l` lower case and digits, `s` as `w` with `-` and `_`, `b` Base64, `a` letters).
   */
  readonly match: readonly string[];
  /** Similar texts in which nothing may be found. */
  readonly pass: readonly string[];
};

/** Programs that take a password by position, or by an option too short to be recognised by itself. */
export type Program = {
  /** Options whose next word, or text after `=`, is the secret. */
  readonly value?: readonly string[];
  /** Options directly followed by the secret. */
  readonly attached?: readonly string[];
  /** Options whose value is `user:secret`. */
  readonly pair?: readonly string[];
  /** The separator of user and secret; a colon by default. */
  readonly between?: RegExp;
  /** The end of the secret in a pair. */
  readonly until?: RegExp;
  /** The index of the operand that is the secret, from 0. */
  readonly operand?: number;
  /** Matches an option that reduces the number of operands by one. */
  readonly less?: RegExp;
  /** The first operand is `user:secret`. */
  readonly operandPair?: true;
  /** The words of which one must be among the first ones. */
  readonly needs?: readonly string[];
};

const SQL: Program = { attached: ['-p'], value: ['--password'] };
const LDAP: Program = { value: ['-w', '-y'] };
const LOGIN: Program = { value: ['-p', '--password'], needs: ['login'] };

export const PROGRAMS: Readonly<Record<string, Program>> = {
  curl: { pair: ['-u', '--user', '-U', '--proxy-user'] },
  wget: { value: ['--password', '--http-password', '--ftp-password', '--proxy-password'] },
  http: { pair: ['-a', '--auth'] },
  https: { pair: ['-a', '--auth'] },
  xh: { pair: ['-a', '--auth'] },
  mysql: SQL,
  mysqldump: SQL,
  mysqladmin: SQL,
  mysqlimport: SQL,
  mariadb: SQL,
  mycli: SQL,
  sshpass: { value: ['-p'], attached: ['-p'] },
  'redis-cli': { value: ['-a', '--pass'] },
  valkey: { value: ['-a', '--pass'] },
  mongo: { value: ['-p', '--password'] },
  mongosh: { value: ['-p', '--password'] },
  mongodump: { value: ['-p', '--password'] },
  mongorestore: { value: ['-p', '--password'] },
  docker: LOGIN,
  podman: LOGIN,
  nerdctl: LOGIN,
  buildah: LOGIN,
  skopeo: { ...LOGIN, pair: ['--creds', '--src-creds', '--dest-creds'], needs: ['login', 'copy', 'inspect'] },
  helm: LOGIN,
  oc: { value: ['-p', '--password'], needs: ['login'] },
  az: { value: ['-p', '--password'], needs: ['login'] },
  ldapsearch: LDAP,
  ldapadd: LDAP,
  ldapmodify: LDAP,
  ldapwhoami: LDAP,
  ldapdelete: LDAP,
  smbclient: { pair: ['-U', '--user'], between: /%/ },
  rpcclient: { pair: ['-U', '--user'], between: /%/ },
  lftp: { pair: ['-u'], between: /,/ },
  ncftp: { value: ['-p'] },
  sqlcmd: { value: ['-P'] },
  bcp: { value: ['-P'] },
  isql: { operand: 2 },
  sqlplus: { operandPair: true, between: /\//, until: /@/ },
  nmcli: { value: ['password', 'wifi-sec.psk', '802-11-wireless-security.psk'] },
  htpasswd: {
    operand: 2,
    less: /^-\w*n/,
    needs: ['-b', '-nb', '-bB', '-nbB', '-Bbn', '-bn', '-cb', '-bc', '-Bb', '-cbB', '-bBn'],
  },
  zip: { value: ['-P', '--password'] },
  unzip: { value: ['-P'] },
  '7z': { attached: ['-p'] },
  '7za': { attached: ['-p'] },
  rar: { attached: ['-p', '-hp'] },
  unrar: { attached: ['-p'] },
  'ssh-keygen': { value: ['-N', '-P'] },
  gpg: { value: ['--passphrase'] },
  keytool: { value: ['-storepass', '-keypass', '-srcstorepass', '-deststorepass'] },
  jarsigner: { value: ['-storepass', '-keypass'] },
  openssl: { value: ['-k', '-K'], pair: ['-passin', '-passout', '-pass'] },
  ipmitool: { value: ['-P'] },
  snmpwalk: { value: ['-A', '-X'] },
  snmpget: { value: ['-A', '-X'] },
  mosquitto_pub: { value: ['-P', '--pw'] },
  mosquitto_sub: { value: ['-P', '--pw'] },
  xfreerdp: { attached: ['/p:'] },
  rdesktop: { value: ['-p'] },
  wpa_passphrase: { operand: 1 },
  twine: { value: ['-p', '--password'] },
  bw: { operand: 1, needs: ['unlock'] },
  cqlsh: { value: ['-p', '--password'] },
  influx: { value: ['-password', '-t', '--token'] },
  clickhouse: { value: ['--password'] },
  'clickhouse-client': { value: ['--password'] },
  psexec: { value: ['-p'] },
  winexe: { pair: ['-U'], between: /%/ },
  crackmapexec: { value: ['-p'] },
  useradd: { value: ['-p', '--password'] },
  usermod: { value: ['-p', '--password'] },
  ansible: { value: ['--vault-password'] },
  svn: { value: ['--password'] },
};
