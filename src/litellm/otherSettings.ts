import type { JsonObject } from "../contract/fields.ts"
import type { Note } from "./Plan.ts"
import type { Settings } from "./Source.ts"

/** Settings that have their place here, or that mean nothing once LiteLLM is left. */
const handled: ReadonlySet<string> = new Set([
  "general_settings.master_key",
  "general_settings.store_model_in_db",
  "general_settings.store_prompts_in_spend_logs",
  "general_settings.proxy_batch_write_at",
  "general_settings.database_connection_pool_limit",
  "general_settings.database_connection_timeout",
  "general_settings.disable_spend_logs",
  "general_settings.encryption_algorithm",
  "litellm_settings.drop_params",
  "litellm_settings.fallbacks",
  "litellm_settings.context_window_fallbacks",
  "litellm_settings.content_policy_fallbacks",
  "litellm_settings.default_fallbacks",
  "litellm_settings.model_group_alias",
  "litellm_settings.model_alias_map",
  "litellm_settings.max_end_user_budget",
  "litellm_settings.max_end_user_budget_id",
  "litellm_settings.timezone",
  "litellm_settings.set_verbose",
  "litellm_settings.json_logs",
  "litellm_settings.telemetry",
  "litellm_settings.modify_params",
  "router_settings.fallbacks",
  "router_settings.context_window_fallbacks",
  "router_settings.content_policy_fallbacks",
  "router_settings.default_fallbacks",
  "router_settings.model_group_alias"
])

const logs = "logs, /metrics, traces and rows of requests tell it: docs/operations.md"
const retries = "not set by hand: docs/configuration.md, how a request finds its upstream"
const redis = "GATEWAY_REDIS_URL, for limits that several processes count together"

const reasons: Readonly<Record<string, string>> = {
  success_callback: logs,
  failure_callback: logs,
  callbacks: logs,
  service_callback: logs,
  alerting: "alerts: { url, secret }",
  alerting_threshold: "alerts: { url, secret }",
  cache: "answers are not cached",
  cache_params: "answers are not cached",
  num_retries: retries,
  request_timeout: "first_byte_seconds and idle_seconds of an upstream",
  timeout: "first_byte_seconds and idle_seconds of an upstream",
  stream_timeout: "first_byte_seconds of an upstream",
  allowed_fails: retries,
  cooldown_time: retries,
  retry_after: retries,
  retry_policy: retries,
  model_group_retry_policy: retries,
  allowed_fails_policy: retries,
  enable_pre_call_checks: "`context` of a model is checked anyway",
  redis_host: redis,
  redis_port: redis,
  redis_password: redis,
  redis_url: redis,
  database_url: "LiteLLM's own, read with --database; the gateway's is GATEWAY_DATABASE_URL",
  max_budget: "a budget of all accounts together isn't there: budgets of accounts and keys",
  budget_duration: "a budget of all accounts together isn't there: budgets of accounts and keys",
  max_parallel_requests: "limits of accounts and keys, max_concurrency of upstreams",
  global_max_parallel_requests: "limits.unfinished, and max_concurrency of upstreams",
  custom_auth: "sign_in.jwt takes an issuer's tokens as keys",
  enable_jwt_auth: "sign_in.jwt takes an issuer's tokens as keys",
  litellm_jwtauth: "sign_in.jwt takes an issuer's tokens as keys",
  pass_through_endpoints: "only the endpoints of docs/api.md are served",
  litellm_key_header_name: "keys come in Authorization, x-api-key and the others of docs/api.md",
  default_team_settings: "settings of accounts",
  budget_reset_time: "windows begin at midnight: budgets that don't will roll",
  user_header_name: "the end user is `user`, metadata.user_id or safety_identifier of the body"
}

const strategies: Readonly<Record<string, string>> = {
  "latency-based-routing": "`prefer: fastest` of a model",
  "cost-based-routing": "`prefer: cheapest` of a model",
  "least-busy": "weights alone share the load; max_concurrency of a route bounds it",
  "usage-based-routing": "weights alone share the load",
  "usage-based-routing-v2": "weights alone share the load"
}

const sections: Readonly<Record<string, string>> = {
  guardrails: "`guardrails` asks a webhook: docs/guardrails.md; Bedrock's own: `guardrail` of an upstream",
  mcp_servers: "`mcp.servers`: docs/tools.md",
  vector_store_registry: "no vector stores",
  search_tools: "`search` of gateway.yaml",
  files_settings: "`/v1/files` keeps them here: `files` of gateway.yaml",
  prompts: "no stored prompts",
  include: "the files it names were not read: put them into one"
}

/** Settings that don't come along, one by one. */
export const otherSettings = ({ general, litellm, others, router }: Settings): ReadonlyArray<Note> => {
  const ofSection = (section: string, settings: JsonObject): ReadonlyArray<Note> =>
    Object.entries(settings).flatMap(([name, value]): ReadonlyArray<Note> => {
      const at = `${section}.${name}`
      if (handled.has(at) || value === null || value === false) return []
      if (name === "routing_strategy") {
        const strategy = typeof value === "string" ? value : ""
        const why = strategies[strategy]
        return why === undefined ? [] : [{ at: `${at} (${strategy})`, why }]
      }
      return [{ at, why: reasons[name] ?? "no such setting here" }]
    })
  return [
    ...others.map((section) => ({ at: section, why: sections[section] ?? "no such section here" })),
    ...ofSection("general_settings", general),
    ...ofSection("litellm_settings", litellm),
    ...ofSection("router_settings", router)
  ]
}
