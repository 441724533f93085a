import { Schema } from "effect"
import { Unpriced } from "../contract/callers/Caller.ts"
import { DatabaseSection } from "./databaseSettings.ts"
import { AdminKey } from "./sections/AdminKey.ts"
import { Alerts } from "./sections/Alerts.ts"
import { Files } from "./sections/Files.ts"
import { optionalField } from "./sections/fields.ts"
import { GuardrailEntries } from "./sections/Guardrail.ts"
import { Account, DeclaredKey } from "./sections/Key.ts"
import { Log } from "./sections/Log.ts"
import { Mcp } from "./sections/Mcp.ts"
import { Alias, Model, UnfinishedLimits } from "./sections/Model.ts"
import { Prices } from "./sections/Prices.ts"
import { Redis } from "./sections/Redis.ts"
import { Custody, Requests, Retention } from "./sections/Retention.ts"
import { ProxySetting } from "./sections/Proxy.ts"
import { Search } from "./sections/Search.ts"
import { Server } from "./sections/Server.ts"
import { SignIn } from "./sections/SignIn.ts"
import { Upstream } from "./sections/Upstream.ts"
import { Telemetry } from "./sections/Telemetry.ts"
import { Secret, Text } from "./sections/values.ts"

/** `gateway.yaml`. Every field is optional; unknown fields are refused. */
export const GatewayFile = Schema.Struct({
  server: optionalField(Server, "The server process: [fields](#server)."),
  database: optionalField(
    Schema.Union(DatabaseSection, Secret),
    "`sqlite:<path>`, `sqlite::memory:` or `postgres://<user>:<password>@<host>:<port>/<name>`; or [fields](#database) with that as `url`.",
    "`sqlite:data/gateway.db`"
  ),
  upstreams: optionalField(
    Schema.Record({ key: Schema.String, value: Upstream }),
    "Model providers, by a name of your choice: [fields](#upstreams). The name `sandbox` is reserved.",
    "only the sandbox"
  ),
  models: optionalField(
    Schema.Record({ key: Schema.String, value: Schema.Union(Text, Model, Alias) }),
    "Models by the id that callers use: the name of an upstream that serves the same id, `{ alias: other-id }`, or [fields](#models). `*` in an id stands for any characters."
  ),
  keys: optionalField(
    Schema.Array(DeclaredKey),
    "API keys managed by the configuration: [fields](#keys-and-accounts). They are created, changed and revoked with it."
  ),
  accounts: optionalField(
    Schema.Record({ key: Text, value: Account }),
    "Settings for all keys of an account, [by account id](#keys-and-accounts)."
  ),
  limits: optionalField(
    Schema.Struct({
      unfinished: optionalField(
        UnfinishedLimits,
        "What requests that are not finished may hold, all keys together, in each process: [fields](#unfinished-requests)."
      )
    }),
    "`{ unfinished: … }`: what [requests that are not finished](#unfinished-requests) may hold in each process.",
    "shares of the process's own limits"
  ),
  admin_keys: optionalField(
    Schema.Array(AdminKey),
    "Named keys of the admin API, each with a role: [fields](#admin-keys). `GATEWAY_ADMIN_KEY` stays an operator's.",
    "none"
  ),
  sign_in: optionalField(
    SignIn,
    "How people [sign in](people.md#sign-in) to the console with their company's account, and whose tokens are [API keys](people.md#tokens-as-api-keys): [fields](#sign-in).",
    "by key alone"
  ),
  prices_file: optionalField(
    Text,
    "A YAML or JSON file of [prices](#prices), relative to `gateway.yaml`; reloaded with it and when it changes."
  ),
  prices: optionalField(
    Prices,
    "A published list of prices that the gateway fetches: [fields](#a-fetched-list-of-prices). `gateway prices refresh` fetches it once.",
    "not fetched"
  ),
  unpriced: optionalField(
    Unpriced,
    "Whether accounts with a balance and keys with a budget may use models without a price ([prices](#prices)).",
    "`refuse`"
  ),
  proxy: optionalField(
    ProxySetting,
    "`http://<host>:<port>`, which calls of upstreams, search, bucket and traces go by, or `off` ([proxies](#proxies)).",
    "`HTTPS_PROXY`, `HTTP_PROXY`"
  ),
  search: optionalField(Search, "Web search for models whose upstream has none: [fields](#search).", "no search"),
  guardrails: optionalField(
    GuardrailEntries,
    "Webhooks that look at texts of requests and answers, by a name of your choice: [fields](#guardrails). Accounts, keys and models name theirs ([guardrails](guardrails.md)).",
    "none"
  ),
  mcp: optionalField(
    Mcp,
    "[Tools](tools.md) of MCP servers, for callers at `/mcp`: `servers` with their [fields](#mcp-servers), and `own_servers: off`, which refuses servers that requests name by address.",
    "the built-in server alone"
  ),
  requests: optionalField(
    Requests,
    "`{ max_rows }`: the most request rows to keep; the oldest are deleted first.",
    "`20000000`"
  ),
  log: optionalField(Log, "Logs on standard output: [fields](#log)."),
  telemetry: optionalField(Telemetry, "What collectors of [traces](operations.md#traces) get: [fields](#telemetry)."),
  redis: optionalField(
    Redis,
    "`{ url }` or `{ sentinel }` of a Redis that counts limits across all processes: [Redis](#redis).",
    "each process counts on its own"
  ),
  callbacks: optionalField(
    Schema.Struct({
      allow: optionalField(Schema.Array(Text), "Private address ranges that callers' URLs may reach.", "none"),
      proxy: optionalField(Schema.Boolean, "Whether callers' URLs are called by the proxy.", "`false`")
    }),
    'How callers\' URLs (callbacks, images, documents) are called. `{ allow: ["10.1.0.0/16"] }`: these private ranges too; `{ proxy: true }`: [by the proxy](#proxies).',
    "directly, public addresses only"
  ),
  alerts: optionalField(
    Alerts,
    "A webhook that is called when a balance or a budget is nearly used up, a key is about to expire, an upstream fails, …: [fields](#alerts).",
    "a log line and Overview alone"
  ),
  files: optionalField(
    Schema.Union(Text, Files),
    "Storage of the files that the gateway serves: `s3://<bucket>/<prefix>` or a folder; or [fields](#files) with that as `at`.",
    "the data directory"
  ),
  custody: optionalField(
    Custody,
    "`{ keep: 30d }`: keep copies of finished videos that upstreams only link to ([custody](#custody)).",
    "none"
  ),
  retention: optionalField(Retention, "How long finished records are kept: [fields](#retention).")
})
export type GatewayFile = typeof GatewayFile.Type
