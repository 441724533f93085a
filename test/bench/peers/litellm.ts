import { writeFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { bodies, streamModels, wholeModel } from "./System.ts"
import type { System } from "./System.ts"

const key = "sk-peers-master-key"
const headers = { "content-type": "application/json", authorization: `Bearer ${key}` }

/** LiteLLM's proxy, where `LITELLM_BIN` names its program. */
export const litellm = (): System | undefined => {
  const program = process.env["LITELLM_BIN"]
  if (program === undefined) return undefined
  const env = {
    // Without the list of prices that it would fetch from the network, and without telemetry.
    LITELLM_LOCAL_MODEL_COST_MAP: "True",
    LITELLM_LOG: "ERROR"
  }
  // It takes a quarter of a minute to tell by itself.
  const told = "from importlib.metadata import version; print(version('litellm'))"
  const { stdout } = Bun.spawnSync([join(dirname(resolve(program)), "python"), "-c", told])
  const model = (name: string, provider: string, base: string) =>
    `  - { model_name: "${provider}-${name}", litellm_params: { model: "${provider}/${name}", api_base: "${base}", api_key: upstream } }`
  return {
    name: "LiteLLM",
    version: stdout.toString().trim(),
    settings: "one worker, one master key, no database",
    lacks: "accounts, balances, limits, usage and a log of requests (they need its Postgres)",
    startsWithinMs: 180_000,
    start: ({ folder, port, upstream }) => {
      const file = join(folder, "config.yaml")
      const models = [wholeModel, ...streamModels]
      writeFileSync(
        file,
        `model_list:
${models.flatMap((name) => [model(name, "openai", `${upstream}/v1`), model(name, "anthropic", upstream)]).join("\n")}
general_settings: { master_key: ${key} }
`
      )
      const flags = ["--config", file, "--host", "127.0.0.1", "--port", String(port)]
      return { command: [resolve(program), ...flags, "--num_workers", "1", "--telemetry", "False"], env }
    },
    wholes: {
      "chat passed through": { path: "/v1/chat/completions", headers, body: bodies.chat(`openai-${wholeModel}`) },
      "messages passed through": { path: "/v1/messages", headers, body: bodies.message(`anthropic-${wholeModel}`) }
    },
    streams: {
      "chat passed through": (name) => ({
        path: "/v1/chat/completions",
        headers,
        body: bodies.chatStream(`openai-${name}`)
      }),
      "messages passed through": (name) => ({
        path: "/v1/messages",
        headers,
        body: bodies.messageStream(`anthropic-${name}`)
      })
    }
  }
}
