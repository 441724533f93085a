/**
 * Commands of the pages that are not run here, by what they begin with, and the file that shows that they work, or why
 * nothing can.
 */
export const elsewhere: ReadonlyArray<readonly [RegExp, shown: string]> = [
  [/^(?:npx -y bun@[\d.]+ |bun )(?:start|install)\b/, ".ci/run"],
  [/^(?:npx -y bun@[\d.]+ |bun )run test\b/, ".ci/run"],
  [/^bun run check:static$/, ".ci/run"],
  [/^bun run build\b/, "test/binary.ts"],
  [/^bun run bench\b/, "test/bench/main.ts"],
  [/^bun test\/bench\//, "test/bench/main.ts"],
  [/^(?:bun run test:|bun run docs)/, "CONTRIBUTING.md"],
  [/^(?:[A-Z_]+=\S+ )+npx -y bun@[\d.]+ start$/, "test/config/settings.test.ts"],
  [/^(?:[A-Z_]+=\S+ )+gateway serve(?: --workers \d)?$/, "test/config/settings.test.ts"],
  [/^(?:[A-Z_]+=\S+ )+bun start$/, "test/e2e/example.test.ts"],
  [/^(?:[A-Z_]+=\S+ )+bun examples\/video-callbacks\.ts$/, "test/e2e/example.test.ts"],
  [/bun examples\/embed\.ts$/, "test/e2e/embed.test.ts"],
  [/^npm pack$|^npm install \.\/model-gateway|^npx gateway serve$/, "test/package.ts"],
  // Of another machine than a test's.
  [/^(?:install|systemctl|journalctl) /, "test/deploy/service.test.ts"],
  [/^docker /, "test/deploy/compose.test.ts"],
  [/^sha256sum /, ".ci/run"],
  [/^(?:helm|kubectl) /, "test/deploy/kubernetes/chart.test.ts"],
  // Third-party programs, configured as the page says.
  [
    /^npm install (?:@anthropic-ai|@openai|opencode-ai|cline|@qwen-code)|^npx (?:claude|codex|opencode|cline|qwen) /,
    "test/agents/asWritten.ts"
  ],
  [/^(?:claude|codex) mcp /, "test/agents/gatewayTools.ts"],
  [/^PORT=3001 npx -y @modelcontextprotocol\/server-everything /, "docs/tools.md"],
  [/^python3 -m venv /, "test/agents/programs.ts"],
  // They need a person at a browser.
  [/^gateway (?:login|token|logout)\b/, "test/commands/login/token.test.ts"],
  // They need Postgres, an end, or a gateway that has stopped.
  [/^gateway config /, "test/e2e/configuration.test.ts"],
  [/^gateway db sums$/, "test/e2e/databaseSums.test.ts"],
  [/db compact/, "test/e2e/compact.test.ts"],
  [/^gateway doctor\b/, "test/e2e/doctor/doctor.test.ts"],
  [/^gateway import litellm /, "test/litellm/import.test.ts"],
  [/^gateway nodes$/, "test/e2e/nodes.test.ts"],
  [/^gateway logs .*--follow$/, "test/e2e/logs.test.ts"],
  [/^curl -s localhost:8080\/v1\/requests\//, "test/e2e/requests.test.ts"],
  [/^kill -TERM /, "test/deploy/service.test.ts"],
  [/^gateway backup \S+ && systemctl /, "test/e2e/backup.test.ts"],
  [/^gateway requests tail$/, "test/e2e/requests.test.ts"],
  // What comes after them on the page would miss the account.
  [/^gateway accounts (?:suspend|delete) /, "test/e2e/accountEnding.test.ts"],
  // Of a secret that was found somewhere.
  [/^gateway keys (?:find - <|rotate-secret …)/, "test/e2e/leakedKey.test.ts"],
  // Of a model that is not served here, and of an entry by its number.
  [/^gateway overview .*--on /, "test/requests/groups.test.ts"],
  [/^gateway audit show /, "test/admin/audit.test.ts"],
  [/^gateway deliveries redeliver /, "test/e2e/operations.test.ts"],
  [/^gateway restore /, "test/e2e/backup.test.ts"],
  // Of a profiler and of a release: by hand.
  [/^git tag /, "docs/releasing.md"]
]

/** Blocks of other languages than the shell's that are not run here. */
export const blocksElsewhere: ReadonlyArray<readonly [page: string, language: string, RegExp, shown: string]> = [
  ["docs/deployment.md", "nginx", /upstream gateway|\$gateway_uri/, "test/deploy/nginx.test.ts"],
  ["docs/deployment.md", "yaml", /^# production\.yaml/, "test/deploy/kubernetes/chart.test.ts"],
  ["docs/configuration.md", "yaml", /company\.pem/, "test/upstreams/mutualTls.test.ts"],
  ["docs/configuration.md", "yaml", /^alerts:/, "test/e2e/alerts.test.ts"],
  ["docs/configuration.md", "json", /alert\.raised/, "test/e2e/alerts.test.ts"],
  ["docs/configuration.md", "yaml", /account\.json/, "test/e2e/clouds/credentials.test.ts"],
  ["docs/embedding.md", "ts", /streamUpstream|Gateway\.layer|const model/, "test/snippets/embedding.test.ts"],
  ["docs/embedding.md", "ts", /bun:test/, "test/package.ts"],
  ["docs/agents.md", "json", /forceLoginGatewayUrl/, "test/agents/login/claude.ts"],
  ["docs/agents.md", "ts", /@openai\/agents|@langchain|@ai-sdk/, "test/agents/asWritten.ts"],
  ["docs/agents.md", "python", /volcenginesdkarkruntime/, "test/e2e/videos.test.ts"],
  ["docs/agents.md", "python", /instructor/, "test/agents/programs/chat/with_instructor.py"],
  ["docs/agents.md", "toml", /model_providers\.gateway/, "test/agents/asWritten.ts"],
  ["docs/agents.md", "json", /opencode\.ai/, "test/agents/scenarios.ts"],
  ["docs/errors.md", "json", /req_/, "test/docs/errorsPage.test.ts"],
  ["docs/operations.md", "yaml", /^scrape_configs/, "test/operations/prometheus.test.ts"],
  // A gateway of its own serves its models, and an account is made with it.
  ["docs/guardrails.md", "yaml", /^guardrails:/, "test/guardrails/guardrails.test.ts"],
  ["docs/guardrails.md", "json", /guardrail\.input|verdict/, "test/guardrails/guardrails.test.ts"],
  ["docs/configuration.md", "yaml", /^guardrails:/, "test/guardrails/guardrails.test.ts"],
  ["docs/migrating-from-litellm.md", "yaml", /^# LiteLLM/, "docs/migrating-from-litellm.md"]
]
