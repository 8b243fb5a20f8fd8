import { CLOUDS } from './clouds.ts';
import { CODE_HOSTS } from './code-hosts.ts';
import type { TokenRule } from './rule.ts';
import { SERVICES } from './services.ts';

/** Tokens of any kind that are known by how they begin. The first row that fits names the value. */
export const TOKEN_RULES: readonly TokenRule[] = [...CODE_HOSTS, ...CLOUDS, ...SERVICES];

/** Services whose name alone, as a variable, stands for a key of theirs: `FASTLY=…`. */
export const VENDORS: readonly string[] =
  `adobe airtable algolia alibaba asana atlassian authress beamer bitbucket bittrex buildkite cloudflare codecov coinbase confluent
  contentful databricks datadog doppler drone dropbox dynatrace easypost etsy fastly finicity finnhub flickr freshbooks gitter
  gocardless grafana heroku hubspot infracost intercom kraken kucoin launchdarkly linkedin mailchimp mailgun mapbox mattermost
  messagebird netlify newrelic new_relic nytimes okta pagerduty plaid planetscale rapidapi readme sendbird sendgrid sendinblue shippo
  sidekiq snyk sonar squarespace sumologic telegram travis trello twitch twitter twilio typeform yandex zendesk contribsys`
    .split(/\s+/)
    .filter((name) => name !== '');
